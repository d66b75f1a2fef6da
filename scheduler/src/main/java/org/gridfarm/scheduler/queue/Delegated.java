package org.gridfarm.scheduler.queue;

import com.google.protobuf.ByteString;

import org.gridfarm.scheduler.queue.JobStore.KeptProxy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The table of proxies, within a transaction of the caller's. */
final class Delegated {
    private Delegated() {}

    /** Not of a job that has ended, however late the call is repeated. */
    static void keep(Connection connection, long job, KeptProxy proxy) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "INSERT INTO delegation (job, until, proxy) SELECT id, ?, ? FROM job WHERE id = ? AND NOT done"
                                + " ON CONFLICT (job) DO UPDATE SET until = excluded.until, proxy = excluded.proxy")) {
            statement.setLong(1, proxy.untilMillis());
            statement.setBytes(2, proxy.pem().toByteArray());
            statement.setLong(3, job);
            statement.executeUpdate();
        }
    }

    static void forget(Connection connection, List<Long> jobs) throws SQLException {
        if (jobs.isEmpty()) {
            return;
        }
        try (PreparedStatement statement =
                connection.prepareStatement("DELETE FROM delegation WHERE job = ?")) {
            for (long job : jobs) {
                statement.setLong(1, job);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    static Map<Long, KeptProxy> all(Connection connection) throws SQLException {
        Map<Long, KeptProxy> all = new HashMap<>();
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT job, until, proxy FROM delegation");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                all.put(
                        row.getLong(1),
                        new KeptProxy(ByteString.copyFrom(row.getBytes(3)), row.getLong(2)));
            }
        }
        return all;
    }
}
