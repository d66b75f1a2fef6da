package org.gridfarm.scheduler.queue;

import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.UsageRow;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What users have had of the farm, by day. A task counts in the transaction that writes down its
 * end, so it counts once.
 */
final class Accounting {
    /** Of one user on one day. */
    private record Key(String user, LocalDate day) {}

    /** Sums, in the units of the table. */
    private static final class Sum {
        private long tasks;
        private long slotMillis;
        private long cpuMicros;
        private long local;
        private long remote;

        void add(TaskRow row) {
            TaskInfo task = row.info();
            tasks++;
            slotMillis += row.slotMillis();
            cpuMicros += task.getUsage().getCpuMicros();
            local += task.getInputBytesLocal();
            remote += Math.max(0, task.getInputBytes() - task.getInputBytesLocal());
        }
    }

    private final Map<Key, Sum> sums = new HashMap<>();

    /** A row that has just been written; one that tells of no end counts nothing. */
    void written(TaskRow row) {
        TaskInfo task = row.info();
        if (row.hasEnded() && task.getAttempts() > 0) {
            LocalDate day =
                    LocalDate.ofInstant(Instant.ofEpochMilli(task.getEnded()), ZoneOffset.UTC);
            sums.computeIfAbsent(new Key(row.user(), day), _ -> new Sum()).add(row);
        }
    }

    void keep(Connection connection) throws SQLException {
        if (sums.isEmpty()) {
            return;
        }
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "INSERT INTO usage AS u VALUES (?, ?, ?, ?, ?, ?, ?)"
                                + " ON CONFLICT (day, user_name) DO UPDATE SET tasks = u.tasks + excluded.tasks,"
                                + " slot_millis = u.slot_millis + excluded.slot_millis,"
                                + " cpu_micros = u.cpu_micros + excluded.cpu_micros,"
                                + " input_local = u.input_local + excluded.input_local,"
                                + " input_remote = u.input_remote + excluded.input_remote")) {
            for (Map.Entry<Key, Sum> entry : sums.entrySet()) {
                Sum sum = entry.getValue();
                statement.setObject(1, entry.getKey().day());
                statement.setString(2, entry.getKey().user());
                statement.setLong(3, sum.tasks);
                statement.setLong(4, sum.slotMillis);
                statement.setLong(5, sum.cpuMicros);
                statement.setLong(6, sum.local);
                statement.setLong(7, sum.remote);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /**
     * Of these days, both included, by day and name.
     *
     * @param user empty: of everybody
     */
    static List<UsageRow> read(Connection connection, LocalDate from, LocalDate to, String user)
            throws SQLException {
        List<UsageRow> rows = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "SELECT day, user_name, tasks, slot_millis, cpu_micros, input_local, input_remote FROM usage"
                                + " WHERE day BETWEEN ? AND ? AND (? = '' OR user_name = ?)"
                                + " ORDER BY day, user_name")) {
            statement.setObject(1, from);
            statement.setObject(2, to);
            statement.setString(3, user);
            statement.setString(4, user);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(
                            UsageRow.newBuilder()
                                    .setDay(row.getObject(1, LocalDate.class).toEpochDay())
                                    .setUser(row.getString(2))
                                    .setTasks(row.getLong(3))
                                    .setSlotMillis(row.getLong(4))
                                    .setCpuMicros(row.getLong(5))
                                    .setInputBytesLocal(row.getLong(6))
                                    .setInputBytesRemote(row.getLong(7))
                                    .build());
                }
            }
        }
        return rows;
    }
}
