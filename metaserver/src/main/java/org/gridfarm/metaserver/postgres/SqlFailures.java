package org.gridfarm.metaserver.postgres;

import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.sql.SQLException;

/** What went wrong at the database, in one line for a person. */
final class SqlFailures {
    private SqlFailures() {}

    /** While starting: a wrong password or name will not mend itself and ends the program. */
    static FarmException starting(DatabaseSettings settings, Throwable thrown) {
        SQLException cause = sqlCause(thrown);
        String state = cause.getSQLState() == null ? "" : cause.getSQLState();
        if (state.startsWith("28")) {
            return new FarmException(
                    ErrorKind.NOT_AUTHENTICATED,
                    "database",
                    settings.url(),
                    "the server refused user '"
                            + settings.user()
                            + "': wrong password or not allowed");
        }
        if (state.equals("3D000")) {
            return new FarmException(
                    ErrorKind.BAD_CONFIGURATION, "database", settings.url(), "no such database");
        }
        return new FarmException(
                ErrorKind.UNAVAILABLE, "database", settings.url(), firstLine(cause), thrown);
    }

    static StoreException running(String doing, SQLException thrown) {
        return new StoreException(doing + ": " + firstLine(thrown), thrown);
    }

    static boolean isUniqueViolation(SQLException thrown) {
        return "23505".equals(thrown.getSQLState());
    }

    private static SQLException sqlCause(Throwable thrown) {
        SQLException found = new SQLException(thrown.toString());
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql) found = sql;
        }
        return found;
    }

    private static String firstLine(Throwable thrown) {
        String text = String.valueOf(thrown.getMessage());
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
