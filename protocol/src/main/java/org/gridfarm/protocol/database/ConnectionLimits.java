package org.gridfarm.protocol.database;

import java.util.Properties;

/** How long a server waits for its database: properties of the driver. */
public final class ConnectionLimits {
    private ConnectionLimits() {}

    /**
     * A database that says nothing for a minute is taken for dead, and the call fails.
     *
     * @param application as the database's own views show it
     */
    public static Properties of(String application) {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", application);
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("socketTimeout", "60");
        properties.setProperty("tcpKeepAlive", "true");
        return properties;
    }
}
