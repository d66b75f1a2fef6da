package org.gridfarm.metaserver.zookeeper;

import org.apache.zookeeper.client.ZKClientConfig;
import org.gridfarm.protocol.config.PemFiles;

/** TLS to ZooKeeper: without it the password goes over the network as it is. */
final class ZooKeeperTls {
    private static final String PEM = "PEM";

    private ZooKeeperTls() {}

    /** For the client; the host's name has to stand in ZooKeeper's certificate. */
    static ZKClientConfig settings(PemFiles files) {
        ZKClientConfig settings = new ZKClientConfig();
        settings.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        settings.setProperty(
                ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
                "org.apache.zookeeper.ClientCnxnSocketNetty");
        settings.setProperty("zookeeper.ssl.keyStore.location", files.credential().toString());
        settings.setProperty("zookeeper.ssl.keyStore.type", PEM);
        settings.setProperty("zookeeper.ssl.trustStore.location", files.trust().toString());
        settings.setProperty("zookeeper.ssl.trustStore.type", PEM);
        return settings;
    }
}
