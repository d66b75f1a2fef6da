package org.gridfarm.metaserver;

import org.gridfarm.metaserver.backup.DumpFile;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.metaserver.postgres.DatabaseSettings;
import org.gridfarm.metaserver.postgres.PostgresBackup;
import org.gridfarm.metaserver.server.state.MetaServerSettings;
import org.gridfarm.metaserver.zookeeper.ZooKeeperSettings;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Path;

/**
 * {@code gf meta dump|restore}: {@code BackupMain dump|restore CONFIG FILE}, with the configuration
 * of a metaserver. Prints one line of JSON.
 */
public final class BackupMain {
    private BackupMain() {}

    public static void main(String[] words) {
        try {
            System.out.println(run(words));
        } catch (FarmException e) {
            System.err.println("gf: " + e.getMessage());
            System.exit(e.kind().exitCode());
        } catch (StoreException e) {
            System.err.println("gf: database: " + e.getMessage());
            System.exit(ErrorKind.UNAVAILABLE.exitCode());
        } catch (IOException e) {
            System.err.println("gf: " + words[0] + ": " + e.getMessage());
            System.exit(ErrorKind.DISK_FAILED.exitCode());
        }
    }

    /** The rest is read, too: a key that nobody knows is a mistake. */
    private static DatabaseSettings database(Config config) {
        MetaServerSettings.read(config);
        ZooKeeperSettings.read(config);
        return DatabaseSettings.read(config);
    }

    private static String run(String[] words) throws IOException {
        if (words.length != 3) {
            throw new FarmException(ErrorKind.USAGE, "meta", "", "dump|restore CONFIG FILE");
        }
        DatabaseSettings database = Config.read(Path.of(words[1]), BackupMain::database);
        DumpFile file = new DumpFile(Path.of(words[2]));
        PostgresBackup store = new PostgresBackup(database);
        DumpFile.Summary summary =
                switch (words[0]) {
                    case "dump" -> file.write(store);
                    case "restore" -> file.restore(store);
                    default -> throw new FarmException(ErrorKind.USAGE, "meta", words[0], "");
                };
        return "{\"records\":"
                + summary.records()
                + ",\"batch\":"
                + summary.end().getSequence()
                + "}";
    }
}
