package org.gridfarm.metaserver.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * What a farm keeps in ZooKeeper is for those alone who know its password; what lies above is
 * shared with other farms. Without a password it is open to everybody who reaches ZooKeeper.
 */
final class OwnEntries implements ACLProvider {
    private static final Logger log = LoggerFactory.getLogger(OwnEntries.class);

    private final String path;
    private final boolean closed;

    /**
     * @param closed there is a password
     */
    OwnEntries(String path, boolean closed) {
        this.path = path;
        this.closed = closed;
    }

    @Override
    public List<ACL> getDefaultAcl() {
        return closed ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE;
    }

    @Override
    public List<ACL> getAclForPath(String of) {
        boolean own = of.equals(path) || of.startsWith(path + "/");
        return own ? getDefaultAcl() : Ids.OPEN_ACL_UNSAFE;
    }

    /**
     * Closes what a farm had there before it had a password.
     *
     * @param client with the path as its namespace
     */
    void close(CuratorFramework client) {
        if (!closed) {
            log.warn(
                    "anybody who reaches ZooKeeper may depose the leader: give every server of the farm the same"
                            + " zookeeper.password_file");
            return;
        }
        int count = 0;
        Deque<String> ahead = new ArrayDeque<>(List.of("/"));
        while (!ahead.isEmpty()) {
            String at = ahead.remove();
            try {
                if (isOpen(client.getACL().forPath(at))) {
                    client.setACL().withACL(Ids.CREATOR_ALL_ACL).forPath(at);
                    count++;
                }
                String prefix = at.equals("/") ? at : at + "/";
                client.getChildren().forPath(at).forEach(child -> ahead.add(prefix + child));
            } catch (KeeperException.NoNodeException e) {
                log.debug("{} is gone by itself", at);
            } catch (KeeperException.NoAuthException e) {
                log.error(
                        "ZooKeeper's {}{} belongs to another password: all servers that use this path need the same"
                                + " zookeeper.password_file",
                        path,
                        at.equals("/") ? "" : at);
            } catch (Exception e) {
                log.warn("closing {} in ZooKeeper: {}", at, e.getMessage());
                return; // again when it is connected the next time
            }
        }
        if (count > 0) {
            log.warn("{} entries in ZooKeeper were open to everybody: closed now", count);
        }
    }

    private static boolean isOpen(List<ACL> rights) {
        return rights.stream().anyMatch(one -> one.getId().getScheme().equals("world"));
    }
}
