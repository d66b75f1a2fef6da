-- Jobs that are held back, and what users have had of the farm.
ALTER TABLE job ADD COLUMN held text NOT NULL DEFAULT '';
COMMENT ON COLUMN job.held IS 'Who holds it back; empty: nobody.';
CREATE TABLE share (
    user_name text PRIMARY KEY,
    used float8 NOT NULL,
    as_of int8 NOT NULL
);
COMMENT ON COLUMN share.used IS 'Slots times seconds, of which half is forgotten in an hour.';
COMMENT ON COLUMN share.as_of IS 'Milliseconds since 1970.';
