package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Which ports this user's clusters have: a port stays its cluster's while the directory of that is
 * there, also while nobody listens at it. A file of lines {@code PORT DIRECTORY}, locked while it
 * is changed.
 */
final class PortClaims {
    private static final Object ONE_AT_A_TIME = new Object(); // the lock is the process's

    private final Path file;

    PortClaims(Path file) {
        this.file = file;
    }

    private record Claim(int port, Path directory) {
        static Claim parse(String line) {
            String[] parts = line.split(" ", 2);
            return new Claim(Integer.parseInt(parts[0]), Path.of(parts[1]));
        }

        String line() {
            return port + " " + directory + "\n";
        }
    }

    /**
     * @param choose gets the ports of other clusters, and of this one
     * @return what it has chosen, which is the directory's now
     */
    int claim(Path directory, Function<Set<Integer>, Integer> choose) {
        synchronized (ONE_AT_A_TIME) {
            try {
                Files.createDirectories(file.toAbsolutePath().getParent());
                try (FileChannel channel =
                                FileChannel.open(
                                        file,
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.READ,
                                        StandardOpenOption.WRITE);
                        FileLock _ = channel.lock()) {
                    List<Claim> claims = read(channel);
                    Set<Integer> taken = new HashSet<>();
                    claims.forEach(claim -> taken.add(claim.port()));
                    int port = choose.apply(taken);
                    claims.add(new Claim(port, directory.toAbsolutePath()));
                    write(channel, claims);
                    return port;
                }
            } catch (IllegalArgumentException e) {
                throw new FarmException(
                        ErrorKind.CORRUPT,
                        "find a free port by",
                        file.toString(),
                        e.getMessage() + "; remove the file",
                        e);
            } catch (IOException e) {
                throw new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "find a free port by",
                        file.toString(),
                        String.valueOf(e.getMessage()),
                        e);
            }
        }
    }

    private static List<Claim> read(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {}
        List<Claim> claims = new ArrayList<>();
        new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.indexOf(' ') > 0) // half a line: its writer was killed
                .map(Claim::parse)
                .filter(claim -> Files.isDirectory(claim.directory()))
                .forEach(claims::add);
        return claims;
    }

    private static void write(FileChannel channel, List<Claim> claims) throws IOException {
        StringBuilder text = new StringBuilder();
        claims.forEach(claim -> text.append(claim.line()));
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
        channel.truncate(0);
        while (bytes.hasRemaining()) channel.write(bytes, bytes.position());
    }
}
