package org.gridfarm.scheduler.queue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * What each user has had of the farm as of some moment, so that a scheduler that starts goes on
 * where the one before stood.
 *
 * @param used slot-seconds, of which half is forgotten in an hour
 * @param asOfMillis since 1970
 */
public record Shares(Map<String, Double> used, long asOfMillis) {
    void keep(Connection connection) throws SQLException {
        try (PreparedStatement all = connection.prepareStatement("DELETE FROM share")) {
            all.executeUpdate();
        }
        try (PreparedStatement one =
                connection.prepareStatement(
                        "INSERT INTO share (user_name, used, as_of) VALUES (?, ?, ?)")) {
            for (Map.Entry<String, Double> had : used.entrySet()) {
                one.setString(1, had.getKey());
                one.setDouble(2, had.getValue());
                one.setLong(3, asOfMillis);
                one.addBatch();
            }
            one.executeBatch();
        }
    }

    static Shares load(Connection connection) throws SQLException {
        Map<String, Double> used = new HashMap<>();
        long asOf = 0;
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT user_name, used, as_of FROM share");
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                used.put(row.getString(1), row.getDouble(2));
                asOf = row.getLong(3);
            }
        }
        return new Shares(used, asOf);
    }
}
