-- A job of which nothing more is started: its tasks without a final row are cancelled and need none.
ALTER TABLE job ADD COLUMN halted text NOT NULL DEFAULT '';
COMMENT ON COLUMN job.halted IS 'Why nothing more of it is started; empty while it is.';
COMMENT ON TABLE task IS 'Only tasks that have been started have a row; the last attempt counts. In a halted job a task without a final row was cancelled.';
