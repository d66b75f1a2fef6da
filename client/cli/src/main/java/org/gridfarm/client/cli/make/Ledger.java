package org.gridfarm.client.cli.make;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * The file beside a make file in which stands how each output was made: a line is added when a step
 * has succeeded, and the last one about an output counts. Lost, it is no harm: what it would have
 * said is found out of date once more.
 */
final class Ledger implements AutoCloseable {
    /**
     * @param command digest of the command and the names of its files
     * @param inputs digest of what these held; "-" if nobody asked
     */
    record Made(String command, String inputs) {}

    private static final int FIELDS = 3;

    private final Map<String, Made> made = new HashMap<>();
    private final OutputStream out;

    private Ledger(OutputStream out) {
        this.out = out;
    }

    static Ledger open(Path file) throws IOException {
        Map<String, Made> known = new HashMap<>();
        if (Files.exists(file)) {
            for (String line : NameText.of(Files.readAllBytes(file)).split("\n")) {
                String[] fields = line.split("\t", FIELDS);
                if (fields.length == FIELDS) { // the last may have been cut off
                    known.put(fields[2], new Made(fields[0], fields[1]));
                }
            }
        }
        Ledger ledger =
                new Ledger(
                        Files.newOutputStream(
                                file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        ledger.made.putAll(known);
        if (!known.isEmpty()) {
            ledger.out.write('\n'); // after a line that was cut off
        }
        return ledger;
    }

    Optional<Made> of(String output) {
        return Optional.ofNullable(made.get(escaped(output)));
    }

    void add(String output, Made how) throws IOException {
        made.put(escaped(output), how);
        out.write(
                NameText.bytes(
                        how.command() + "\t" + how.inputs() + "\t" + escaped(output) + "\n"));
        out.flush();
    }

    private static String escaped(String output) {
        return output.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t");
    }

    static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(NameText.bytes(text)));
        } catch (NoSuchAlgorithmException e) {
            throw new FarmException(ErrorKind.INTERNAL, "make", "SHA-256", e.toString(), e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
