package org.gridfarm.client.cli.authority;

import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What an authority has issued: a line for each certificate, in the form of OpenSSL's {@code
 * index.txt}, so that {@code openssl ca} can go on with it. State (V valid, R revoked), end,
 * revocation, serial number, {@code unknown}, name; a tab between each. Not thread-safe; whoever
 * changes the file holds the authority's lock.
 */
final class Register {
    private static final DateTimeFormatter SHORT = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'");
    private static final DateTimeFormatter LONG = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");
    private static final int YEAR_OF_LONG = 2050; // as in certificates (RFC 5280, 4.1.2.5)

    /** One certificate. */
    record Entry(BigInteger serial, String dn, Instant notAfter, Optional<Instant> revoked) {
        String number() {
            return Register.number(serial);
        }

        String state(Instant now) {
            if (revoked.isPresent()) return "revoked";
            return now.isAfter(notAfter) ? "expired" : "valid";
        }
    }

    private final Path file;
    private final List<Entry> entries = new ArrayList<>();

    private Register(Path file) {
        this.file = file;
    }

    /** A serial number as OpenSSL writes it. */
    static String number(BigInteger serial) {
        String hex = serial.toString(16).toUpperCase(Locale.ROOT);
        return hex.length() % 2 == 0 ? hex : "0" + hex;
    }

    /** Empty where the file is not there. */
    static Register read(Path file) {
        Register register = new Register(file);
        if (Files.exists(file)) {
            int number = 0;
            for (String line : utf8(SecretFile.read(file)).split("\n", -1)) {
                number++;
                if (!line.isEmpty()) register.entries.add(entry(line, file + ":" + number));
            }
        }
        return register;
    }

    /** {@link SecretFile} gives a char for each byte. */
    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    Optional<Entry> of(BigInteger serial) {
        return entries.stream().filter(entry -> entry.serial.equals(serial)).findFirst();
    }

    Map<BigInteger, Instant> revoked() {
        Map<BigInteger, Instant> revoked = new LinkedHashMap<>();
        for (Entry entry : entries) {
            entry.revoked.ifPresent(since -> revoked.put(entry.serial, since));
        }
        return revoked;
    }

    /** In the file when this returns. */
    void add(Entry entry) {
        entries.add(entry);
        write();
    }

    /** In the file when this returns. */
    void revoke(Entry entry, Instant now) {
        entries.set(
                entries.indexOf(entry),
                new Entry(entry.serial, entry.dn, entry.notAfter, Optional.of(now)));
        write();
    }

    private void write() {
        StringBuilder text = new StringBuilder();
        for (Entry entry : entries) {
            text.append(entry.revoked.isPresent() ? 'R' : 'V')
                    .append('\t')
                    .append(time(entry.notAfter))
                    .append('\t')
                    .append(entry.revoked.map(Register::time).orElse(""))
                    .append('\t')
                    .append(entry.number())
                    .append("\tunknown\t")
                    .append(entry.dn)
                    .append('\n');
        }
        SecretFile.write(file, text.toString());
    }

    private static Entry entry(String line, String at) {
        String[] fields = line.split("\t", -1);
        try {
            if (fields.length != 6) throw new NumberFormatException(fields.length + " fields");
            boolean revoked = fields[0].equals("R");
            // openssl puts the reason behind the time
            String since = fields[2].split(",", 2)[0];
            return new Entry(
                    new BigInteger(fields[3], 16),
                    fields[5],
                    time(fields[1]),
                    revoked ? Optional.of(time(since)) : Optional.empty());
        } catch (NumberFormatException | DateTimeException e) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "read register",
                    at,
                    "not a line of certificates issued: " + e.getMessage(),
                    e);
        }
    }

    private static String time(Instant instant) {
        LocalDateTime utc = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        return (utc.getYear() < YEAR_OF_LONG ? SHORT : LONG).format(utc);
    }

    private static Instant time(String text) {
        DateTimeFormatter form = text.length() == 13 ? SHORT : LONG;
        return LocalDateTime.parse(text, form).toInstant(ZoneOffset.UTC);
    }
}
