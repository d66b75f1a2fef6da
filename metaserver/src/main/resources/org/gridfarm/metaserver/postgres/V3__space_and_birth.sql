-- What is taken on disk is told only where the size does not tell it; 0 is a number, not "unknown".
ALTER TABLE inode ALTER allocated DROP NOT NULL;
UPDATE inode SET allocated = NULL WHERE allocated = 0;
ALTER TABLE inode ADD btime int8 NOT NULL DEFAULT 0;  -- when it was made; 0: before this column was
UPDATE inode SET (atime, mtime, ctime, btime) = (now, now, now, now)
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000000)::int8 AS now) clock
    WHERE ino = 1 AND mtime = 0;  -- a new farm's root
