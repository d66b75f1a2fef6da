-- Jobs and tasks, one row each; the scheduler's memory is rebuilt from them.
CREATE TABLE leader (
    one bool PRIMARY KEY DEFAULT true CHECK (one),
    epoch int8 NOT NULL,
    holder text NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
);
INSERT INTO leader (epoch, holder) VALUES (0, 'none');

CREATE TABLE job (
    id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    submission int8 NOT NULL UNIQUE,
    name text NOT NULL,
    user_name text NOT NULL,
    request bytea NOT NULL,
    submitted int8 NOT NULL,
    done bool NOT NULL DEFAULT false
);
CREATE INDEX job_open ON job (id) WHERE NOT done;

CREATE TABLE task (
    job int8 NOT NULL REFERENCES job ON DELETE CASCADE,
    index int4 NOT NULL,
    state text NOT NULL,
    node text NOT NULL,
    locality text NOT NULL,
    attempts int4 NOT NULL,
    exit_code int4 NOT NULL,
    finish_order int8 NOT NULL,
    info bytea NOT NULL,
    PRIMARY KEY (job, index)
);
COMMENT ON TABLE task IS 'Only tasks that have been started have a row; the last attempt counts.';

CREATE VIEW job_summary AS
    SELECT j.id, j.name, j.user_name, j.done,
           count(t.index) FILTER (WHERE t.state = 'running') AS running,
           count(t.index) FILTER (WHERE t.state = 'succeeded') AS succeeded,
           count(t.index) FILTER (WHERE t.state = 'failed') AS failed,
           count(t.index) FILTER (WHERE t.locality = 'local') AS local
    FROM job j LEFT JOIN task t ON t.job = j.id GROUP BY j.id;
