-- When jobs ended, so that they can be removed by age.
ALTER TABLE job ADD COLUMN ended timestamptz;
UPDATE job SET ended = now() WHERE done;
CREATE INDEX job_ended ON job (ended) WHERE done;
