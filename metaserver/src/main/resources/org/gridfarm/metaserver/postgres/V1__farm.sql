-- The metadata of one farm. The journal is the log of acknowledged changes; the tables below it are the state as of
-- apply_state.applied_seq, which a DBA may query as plain SQL. Names are bytes (POSIX), times are nanoseconds since 1970.
-- No foreign keys or triggers between inode, dirent and replica: the metaserver checks before anything is acknowledged.

CREATE TABLE leader (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    epoch int8 NOT NULL,
    holder text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    instance int8 NOT NULL);

CREATE TABLE apply_state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    applied_seq int8 NOT NULL,
    next_ino int8 NOT NULL,
    updated timestamptz NOT NULL DEFAULT now());

CREATE TABLE journal (
    seq int8 PRIMARY KEY,
    epoch int8 NOT NULL,
    n_ops int4 NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    crc32c int4 NOT NULL,
    data bytea NOT NULL);
ALTER TABLE journal ALTER data SET STORAGE EXTERNAL;  -- compact already; no CPU for compression in the commit

CREATE TABLE inode (
    ino int8 PRIMARY KEY,
    type int2 NOT NULL,  -- 1 file, 2 directory, 3 symbolic link, 4 fifo, 5 socket, 6 character device, 7 block device
    mode int4 NOT NULL, uid int8 NOT NULL, gid int8 NOT NULL, nlink int8 NOT NULL,
    size int8 NOT NULL, atime int8 NOT NULL, mtime int8 NOT NULL, ctime int8 NOT NULL,
    rdev int8 NOT NULL, parent int8 NOT NULL, generation int8 NOT NULL, version int8 NOT NULL,
    replicas int4 NOT NULL, groups text NOT NULL, stripe_count int4 NOT NULL, stripe_unit int8 NOT NULL,
    allocated int8 NOT NULL, digest bytea) WITH (fillfactor = 85);
CREATE TABLE symlink (ino int8 PRIMARY KEY, target bytea NOT NULL);
CREATE TABLE dirent (
    parent int8 NOT NULL,
    name bytea NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 255),
    ino int8 NOT NULL, type int2 NOT NULL, cookie int8 NOT NULL,
    PRIMARY KEY (parent, name));
CREATE INDEX dirent_ino ON dirent (ino);
CREATE TABLE xattr (ino int8 NOT NULL, name bytea NOT NULL, value bytea NOT NULL, PRIMARY KEY (ino, name));
CREATE TABLE replica (
    ino int8 NOT NULL, stripe int4 NOT NULL, generation int8 NOT NULL, node text NOT NULL,
    state int2 NOT NULL,  -- 1 valid, 2 being written, 3 being copied, 4 stale, 5 corrupt
    PRIMARY KEY (ino, stripe, generation, node));
CREATE INDEX replica_node ON replica (node, ino);
CREATE TABLE node (
    name text PRIMARY KEY, address text NOT NULL, rack text NOT NULL, grp text NOT NULL, admin_state text NOT NULL,
    slots int4 NOT NULL, mount text NOT NULL, capacity int8 NOT NULL, host text NOT NULL);
CREATE TABLE orphan (ino int8 PRIMARY KEY, since timestamptz NOT NULL DEFAULT now());
CREATE TABLE writing (ino int8 PRIMARY KEY, image bytea NOT NULL);  -- open for writing: the chain, for a leader that takes over
CREATE TABLE outcome (
    session int8 NOT NULL, sequence int8 NOT NULL, error_kind int4 NOT NULL, reply bytea NOT NULL,
    PRIMARY KEY (session, sequence));
CREATE TABLE quota (kind text NOT NULL, id int8 NOT NULL, image bytea NOT NULL,
    bytes_soft int8 NOT NULL, bytes_hard int8 NOT NULL, physical_soft int8 NOT NULL, physical_hard int8 NOT NULL,
    inodes_soft int8 NOT NULL, inodes_hard int8 NOT NULL, PRIMARY KEY (kind, id));
CREATE TABLE setting (key text PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE account (kind text NOT NULL, id int8 NOT NULL, name text NOT NULL, members text[] NOT NULL, PRIMARY KEY (kind, id));

INSERT INTO leader (epoch, holder, instance) VALUES (0, 'nobody', (random() * 9007199254740991)::int8 + 1);
INSERT INTO apply_state (applied_seq, next_ino) VALUES (0, 2);
-- The root belongs to whoever runs the first metaserver: to root, or to the user of a farm of his own.
INSERT INTO inode VALUES (1, 2, 493, ${root_owner}, ${root_group}, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0, '', 0, 0, 0, NULL);

-- ---- for people ------------------------------------------------------------------------------------------------------------------
-- How far SQL is behind what was acknowledged.
CREATE VIEW lag AS
    SELECT a.applied_seq, coalesce(max(j.seq), a.applied_seq) AS head_seq,
           coalesce(sum(j.n_ops), 0) AS operations_behind, now() - min(j.at) AS age
    FROM apply_state a LEFT JOIN journal j ON j.seq > a.applied_seq GROUP BY a.applied_seq;

-- Waits until everything acknowledged before the call is in the tables.
CREATE PROCEDURE barrier(timeout interval DEFAULT '30s') LANGUAGE plpgsql AS $$
DECLARE
    head int8;
    began timestamptz := clock_timestamp();
BEGIN
    SELECT coalesce(max(seq), 0) INTO head FROM ${flyway:defaultSchema}.journal;
    COMMIT;
    WHILE (SELECT applied_seq FROM ${flyway:defaultSchema}.apply_state) < head LOOP
        IF clock_timestamp() > began + timeout THEN
            RAISE EXCEPTION 'the tables are still behind the journal; is a metaserver leading?';
        END IF;
        PERFORM pg_sleep(0.01);
        COMMIT;
    END LOOP;
END $$;

-- A path of the inode, bytes outside ASCII shown as octal escapes; null when it has no name.
CREATE FUNCTION path(i int8) RETURNS text LANGUAGE sql STABLE AS $$
    WITH RECURSIVE up(parent, name, depth) AS (
        (SELECT parent, name, 1 FROM ${flyway:defaultSchema}.dirent WHERE ino = i ORDER BY parent, name LIMIT 1)
        UNION ALL
        SELECT e.parent, e.name, up.depth + 1 FROM up JOIN ${flyway:defaultSchema}.dirent e ON e.ino = up.parent)
    SELECT CASE WHEN i = 1 THEN '/' ELSE '/' || string_agg(encode(name, 'escape'), '/' ORDER BY depth DESC) END FROM up
$$;

-- Files with fewer valid replicas of some stripe than their level asks for.
CREATE VIEW under_replicated AS
    SELECT i.ino, i.uid, i.size, wanted.level AS wanted,
           count(r.node) FILTER (WHERE r.state = 1) / greatest(i.stripe_count, 1) AS valid, path(i.ino) AS path
    FROM inode i
    CROSS JOIN LATERAL (SELECT greatest(i.replicas, 1) AS level) wanted
    LEFT JOIN replica r ON r.ino = i.ino AND r.generation = i.generation
    WHERE i.type = 1 AND i.size > 0
    GROUP BY i.ino, wanted.level
    HAVING count(r.node) FILTER (WHERE r.state = 1) < wanted.level * greatest(i.stripe_count, 1);
CREATE VIEW under_replicated_per_user AS
    SELECT uid, count(*) AS files, sum(size) AS bytes FROM under_replicated GROUP BY uid ORDER BY 2 DESC;

-- Bytes and files below every directory, itself included.
CREATE VIEW directory_bytes AS
    WITH RECURSIVE below(top, dir) AS (
        SELECT ino, ino FROM inode WHERE type = 2
        UNION ALL
        SELECT below.top, e.ino FROM below JOIN dirent e ON e.parent = below.dir WHERE e.type = 2)
    SELECT below.top AS ino, path(below.top) AS path, coalesce(sum(i.size), 0) AS bytes, count(i.ino) AS files
    FROM below LEFT JOIN dirent e ON e.parent = below.dir AND e.type = 1 LEFT JOIN inode i ON i.ino = e.ino
    GROUP BY below.top;
CREATE VIEW biggest_files AS
    SELECT ino, uid, size, path(ino) AS path FROM inode WHERE type = 1 ORDER BY size DESC LIMIT 100;
