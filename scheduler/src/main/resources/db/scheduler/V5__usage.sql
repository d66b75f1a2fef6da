-- What users have had of the farm, for accounts. Kept when the jobs are gone.
CREATE TABLE usage (
    day date NOT NULL,
    user_name text NOT NULL,
    tasks int8 NOT NULL,
    slot_millis int8 NOT NULL,
    cpu_micros int8 NOT NULL,
    input_local int8 NOT NULL,
    input_remote int8 NOT NULL,
    PRIMARY KEY (day, user_name)
);
COMMENT ON TABLE usage IS 'The last attempts of tasks that have been started, under the day (UTC) on which they ended.';
COMMENT ON COLUMN usage.slot_millis IS 'Slots of the task times its time.';
COMMENT ON COLUMN usage.input_local IS 'Bytes of input that lay on its node.';
