-- The proxies by which the tasks of jobs that have not ended act for their users.
CREATE TABLE delegation (
    job int8 PRIMARY KEY REFERENCES job ON DELETE CASCADE,
    until int8 NOT NULL,
    proxy bytea NOT NULL
);
COMMENT ON TABLE delegation IS 'Limited proxies with their keys, for the scheduler alone; gone when the job has ended.';
COMMENT ON COLUMN delegation.until IS 'Milliseconds since 1970.';
