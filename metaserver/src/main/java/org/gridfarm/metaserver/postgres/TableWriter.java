package org.gridfarm.metaserver.postgres;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.commit.Fold;
import org.gridfarm.protocol.wire.AccountImage;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.QuotaImage;
import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Writes a fold into the tables: per table one delete of what is gone and one upsert of what is
 * there, each with the columns as arrays, in key order. Part of the caller's transaction.
 */
final class TableWriter {
    private final Connection connection;

    TableWriter(Connection connection) {
        this.connection = connection;
    }

    void write(Fold fold) throws SQLException {
        inodes(fold);
        dirents(fold);
        xattrs(fold);
        replicas(fold);
        orphans(fold);
        writing(fold);
        sessions(fold);
        delegations(fold);
        outcomes(fold);
        nodes(fold);
        rare(fold);
        try (PreparedStatement s =
                connection.prepareStatement(
                        "UPDATE gridfarm.apply_state SET applied_seq = ?, next_ino ="
                                + " greatest(next_ino, ?), updated = now()")) {
            s.setLong(1, fold.sequence());
            s.setLong(2, fold.inodeMax() + 1);
            s.executeUpdate();
        }
        try (PreparedStatement s =
                connection.prepareStatement("DELETE FROM gridfarm.journal WHERE seq <= ?")) {
            s.setLong(1, fold.sequence());
            s.executeUpdate();
        }
    }

    private void inodes(Fold fold) throws SQLException {
        List<Long> gone = List.copyOf(fold.inodesGone());
        if (!gone.isEmpty()) {
            for (String table : List.of("inode", "symlink", "xattr", "writing", "delegation")) {
                run(
                        "DELETE FROM gridfarm."
                                + table
                                + " t USING unnest(?) g(ino) WHERE t.ino = g.ino",
                        int8(gone, g -> g));
            }
        }
        List<InodeImage> rows = present(fold.inodes().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.inode SELECT * FROM unnest(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
                        + " ON CONFLICT (ino) DO UPDATE SET type = excluded.type, mode = excluded.mode, uid ="
                        + " excluded.uid, gid = excluded.gid, nlink = excluded.nlink, size = excluded.size, atime"
                        + " = excluded.atime, mtime = excluded.mtime, ctime = excluded.ctime, rdev ="
                        + " excluded.rdev, parent = excluded.parent, generation = excluded.generation, version ="
                        + " excluded.version, replicas = excluded.replicas, groups = excluded.groups, stripe_count"
                        + " = excluded.stripe_count, stripe_unit = excluded.stripe_unit, allocated ="
                        + " excluded.allocated, digest = excluded.digest, btime = excluded.btime",
                int8(rows, InodeImage::getInode),
                array("int2", rows, r -> (short) r.getTypeValue()),
                array("int4", rows, InodeImage::getMode),
                int8(rows, r -> Integer.toUnsignedLong(r.getUid())),
                int8(rows, r -> Integer.toUnsignedLong(r.getGid())),
                int8(rows, r -> Integer.toUnsignedLong(r.getNlink())),
                int8(rows, InodeImage::getSize),
                int8(rows, InodeImage::getAtime),
                int8(rows, InodeImage::getMtime),
                int8(rows, InodeImage::getCtime),
                int8(rows, r -> Integer.toUnsignedLong(r.getRdev())),
                int8(rows, InodeImage::getParent),
                int8(rows, r -> Integer.toUnsignedLong(r.getGeneration())),
                int8(rows, InodeImage::getVersion),
                array("int4", rows, InodeImage::getReplicas),
                array("text", rows, InodeImage::getGroups),
                array("int4", rows, InodeImage::getStripeCount),
                int8(rows, InodeImage::getStripeUnit),
                array("int8", rows, r -> r.hasAllocated() ? r.getAllocated() : null),
                bytea(rows, InodeImage::getDigest),
                int8(rows, InodeImage::getBtime));
        List<InodeImage> links = rows.stream().filter(r -> !r.getTarget().isEmpty()).toList();
        if (!links.isEmpty()) {
            run(
                    "INSERT INTO gridfarm.symlink SELECT * FROM unnest(?,?) ON CONFLICT (ino) DO UPDATE SET"
                            + " target = excluded.target",
                    int8(links, InodeImage::getInode),
                    bytea(links, InodeImage::getTarget));
        }
    }

    private void dirents(Fold fold) throws SQLException {
        List<Fold.NamedKey> gone = absent(fold.dirents());
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.dirent t USING unnest(?,?) g(parent, name) WHERE t.parent = g.parent"
                            + " AND t.name = g.name",
                    int8(gone, Fold.NamedKey::inode),
                    bytea(gone, Fold.NamedKey::name));
        }
        var rows = present(fold.dirents().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.dirent SELECT * FROM unnest(?,?,?,?,?) ON CONFLICT (parent, name) DO"
                        + " UPDATE SET ino = excluded.ino, type = excluded.type, cookie = excluded.cookie",
                int8(rows, r -> r.getParent()),
                bytea(rows, r -> r.getName()),
                int8(rows, r -> r.getInode()),
                array("int2", rows, r -> (short) r.getTypeValue()),
                int8(rows, r -> r.getCookie()));
    }

    private void xattrs(Fold fold) throws SQLException {
        List<Fold.NamedKey> gone = absent(fold.xattrs());
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.xattr t USING unnest(?,?) g(ino, name) WHERE t.ino = g.ino AND t.name"
                            + " = g.name",
                    int8(gone, Fold.NamedKey::inode),
                    bytea(gone, Fold.NamedKey::name));
        }
        var rows = present(fold.xattrs().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.xattr SELECT * FROM unnest(?,?,?) ON CONFLICT (ino, name) DO UPDATE SET"
                        + " value = excluded.value",
                int8(rows, r -> r.getInode()),
                bytea(rows, r -> r.getName()),
                bytea(rows, r -> r.getValue()));
    }

    private void replicas(Fold fold) throws SQLException {
        List<Fold.ReplicaRow> gone = absent(fold.replicas());
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.replica t USING unnest(?,?,?,?) g(ino, stripe, generation, node) WHERE"
                            + " t.ino = g.ino AND t.stripe = g.stripe AND t.generation = g.generation AND t.node"
                            + " = g.node",
                    int8(gone, Fold.ReplicaRow::inode),
                    array("int4", gone, Fold.ReplicaRow::stripe),
                    int8(gone, r -> Integer.toUnsignedLong(r.generation())),
                    array("text", gone, Fold.ReplicaRow::node));
        }
        var rows = present(fold.replicas().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.replica SELECT * FROM unnest(?,?,?,?,?) ON CONFLICT (ino, stripe,"
                        + " generation, node) DO UPDATE SET state = excluded.state",
                int8(rows, r -> r.getInode()),
                array("int4", rows, r -> r.getStripe()),
                int8(rows, r -> Integer.toUnsignedLong(r.getGeneration())),
                array("text", rows, r -> r.getNode()),
                array("int2", rows, r -> (short) r.getStateValue()));
    }

    private void orphans(Fold fold) throws SQLException {
        List<Long> there =
                fold.orphans().entrySet().stream()
                        .filter(Map.Entry::getValue)
                        .map(Map.Entry::getKey)
                        .toList();
        List<Long> gone =
                fold.orphans().entrySet().stream()
                        .filter(e -> !e.getValue())
                        .map(Map.Entry::getKey)
                        .toList();
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.orphan t USING unnest(?) g(ino) WHERE t.ino = g.ino",
                    int8(gone, g -> g));
        }
        if (!there.isEmpty()) {
            run(
                    "INSERT INTO gridfarm.orphan (ino) SELECT * FROM unnest(?) ON CONFLICT DO NOTHING",
                    int8(there, g -> g));
        }
    }

    private void writing(Fold fold) throws SQLException {
        List<Long> gone = absent(fold.writing());
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.writing t USING unnest(?) g(ino) WHERE t.ino = g.ino",
                    int8(gone, g -> g));
        }
        var rows = present(fold.writing().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.writing SELECT * FROM unnest(?,?) ON CONFLICT (ino) DO UPDATE SET image ="
                        + " excluded.image",
                int8(rows, r -> r.getInode()),
                bytea(rows, r -> r.toByteString()));
    }

    private void sessions(Fold fold) throws SQLException {
        List<Long> gone = absent(fold.sessions());
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.session t USING unnest(?) g(session) WHERE t.session ="
                            + " g.session",
                    int8(gone, g -> g));
        }
        var rows = present(fold.sessions().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.session SELECT * FROM unnest(?,?) ON CONFLICT (session) DO"
                        + " UPDATE SET dn = excluded.dn",
                int8(rows, r -> r.getSession()),
                array("text", rows, r -> r.getDn()));
    }

    private void delegations(Fold fold) throws SQLException {
        List<Long> gone = absent(fold.delegations());
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.delegation t USING unnest(?) g(ino) WHERE t.ino = g.ino",
                    int8(gone, g -> g));
        }
        var rows = present(fold.delegations().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.delegation SELECT * FROM unnest(?,?) ON CONFLICT (ino) DO"
                        + " UPDATE SET session = excluded.session",
                int8(rows, r -> r.getDirectory()),
                int8(rows, r -> r.getSession()));
    }

    private void outcomes(Fold fold) throws SQLException {
        List<Long> ended = List.copyOf(fold.sessionsGone());
        if (!ended.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.outcome t USING unnest(?) g(session) WHERE t.session = g.session",
                    int8(ended, g -> g));
        }
        List<Outcome> rows =
                fold.outcomes().values().stream()
                        .filter(o ->
                                Long.compareUnsigned(
                                                o.getSequence(),
                                                fold.settled().getOrDefault(o.getSession(), 0L))
                                        > 0)
                        .toList();
        if (!rows.isEmpty()) {
            run(
                    "INSERT INTO gridfarm.outcome SELECT * FROM unnest(?,?,?,?) ON CONFLICT (session, sequence)"
                            + " DO NOTHING",
                    int8(rows, Outcome::getSession),
                    int8(rows, Outcome::getSequence),
                    array("int4", rows, Outcome::getErrorKind),
                    bytea(rows, Outcome::getReply));
        }
        List<Map.Entry<Long, Long>> settled = List.copyOf(fold.settled().entrySet());
        if (!settled.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.outcome t USING unnest(?,?) g(session, settled) WHERE t.session ="
                            + " g.session AND t.sequence <= g.settled",
                    int8(settled, Map.Entry::getKey),
                    int8(settled, Map.Entry::getValue));
        }
    }

    private void nodes(Fold fold) throws SQLException {
        List<String> gone = absent(fold.nodes());
        if (!gone.isEmpty()) {
            run(
                    "DELETE FROM gridfarm.node t USING unnest(?) g(name) WHERE t.name = g.name",
                    array("text", gone, g -> g));
        }
        List<NodeImage> rows = present(fold.nodes().values());
        if (rows.isEmpty()) return;
        run(
                "INSERT INTO gridfarm.node SELECT * FROM unnest(?,?,?,?,?,?,?,?,?) ON CONFLICT (name) DO UPDATE"
                        + " SET address = excluded.address, rack = excluded.rack, grp = excluded.grp, admin_state"
                        + " = excluded.admin_state, slots = excluded.slots, mount = excluded.mount, capacity ="
                        + " excluded.capacity, host = excluded.host",
                array("text", rows, NodeImage::getName),
                array("text", rows, NodeImage::getAddress),
                array("text", rows, NodeImage::getRack),
                array("text", rows, NodeImage::getGroup),
                array("text", rows, NodeImage::getAdminState),
                array("int4", rows, NodeImage::getSlots),
                array("text", rows, NodeImage::getMount),
                int8(rows, NodeImage::getCapacity),
                array("text", rows, NodeImage::getHost));
    }

    /** Settings, quotas and accounts change by hand only: row by row. */
    private void rare(Fold fold) throws SQLException {
        for (var setting : fold.settings().values()) {
            try (PreparedStatement s =
                    connection.prepareStatement(
                            "INSERT INTO gridfarm.setting VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value ="
                                    + " excluded.value")) {
                s.setString(1, setting.getKey());
                s.setBytes(2, setting.getValue().toByteArray());
                s.executeUpdate();
            }
        }
        for (QuotaImage quota : fold.quotas().values()) {
            try (PreparedStatement s =
                    connection.prepareStatement(
                            "DELETE FROM gridfarm.quota WHERE kind = ? AND id = ?")) {
                s.setString(1, quota.getKind());
                s.setLong(2, quota.getId());
                s.executeUpdate();
            }
            if (quota.getGone()) continue;
            try (PreparedStatement s =
                    connection.prepareStatement(
                            "INSERT INTO gridfarm.quota VALUES (?,?,?,?,?,?,?,?,?)")) {
                s.setString(1, quota.getKind());
                s.setLong(2, quota.getId());
                s.setBytes(3, quota.toByteArray());
                s.setLong(4, quota.getBytesSoft());
                s.setLong(5, quota.getBytesHard());
                s.setLong(6, quota.getPhysicalSoft());
                s.setLong(7, quota.getPhysicalHard());
                s.setLong(8, quota.getInodesSoft());
                s.setLong(9, quota.getInodesHard());
                s.executeUpdate();
            }
        }
        for (AccountImage account : fold.accounts().values()) {
            try (PreparedStatement s =
                    connection.prepareStatement(
                            "DELETE FROM gridfarm.account WHERE kind = ? AND id = ?")) {
                s.setString(1, account.getKind());
                s.setLong(2, Integer.toUnsignedLong(account.getId()));
                s.executeUpdate();
            }
            if (account.getGone()) continue;
            try (PreparedStatement s =
                    connection.prepareStatement("INSERT INTO gridfarm.account VALUES (?,?,?,?)")) {
                s.setString(1, account.getKind());
                s.setLong(2, Integer.toUnsignedLong(account.getId()));
                s.setString(3, account.getName());
                s.setArray(4, connection.createArrayOf("text", account.getMembersList().toArray()));
                s.executeUpdate();
            }
        }
    }

    /** One column of many rows. */
    private record Column(String type, @Nullable Object[] values) {}

    private static <T> Column array(
            String type, List<T> rows, Function<T, ? extends @Nullable Object> value) {
        @Nullable Object[] values = new Object[rows.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value.apply(rows.get(i));
        }
        return new Column(type, values);
    }

    private static <T> Column int8(List<T> rows, Function<T, Long> value) {
        return array("int8", rows, value);
    }

    private static <T> Column bytea(List<T> rows, Function<T, ByteString> value) {
        byte[][] values = new byte[rows.size()][];
        for (int i = 0; i < values.length; i++) {
            values[i] = value.apply(rows.get(i)).toByteArray();
        }
        return new Column("bytea", values);
    }

    private void run(String sql, Column... columns) throws SQLException {
        String typed = sql;
        for (Column column : columns) {
            typed = replaceFirstMark(typed, column.type());
        }
        typed = typed.replace('\u0001', '?');
        try (PreparedStatement statement = connection.prepareStatement(typed)) {
            for (int i = 0; i < columns.length; i++) {
                statement.setArray(
                        i + 1, connection.createArrayOf(columns[i].type(), columns[i].values()));
            }
            statement.executeUpdate();
        }
    }

    /** Each array parameter is cast, since unnest is defined for every type. */
    private static String replaceFirstMark(String sql, String type) {
        int mark = sql.indexOf('?');
        return sql.substring(0, mark) + "\u0001::" + type + "[]" + sql.substring(mark + 1);
    }

    private static <T> List<T> present(Collection<Optional<T>> values) {
        List<T> rows = new ArrayList<>(values.size());
        for (Optional<T> value : values) {
            value.ifPresent(rows::add);
        }
        return rows;
    }

    private static <K, T> List<K> absent(Map<K, Optional<T>> rows) {
        List<K> keys = new ArrayList<>();
        rows.forEach((key, value) -> {
            if (value.isEmpty()) keys.add(key);
        });
        return keys;
    }
}
