package org.gridfarm.client.cli.support;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A zip file, mode 600, of texts from which secrets were taken. For one thread. */
public final class Bundle implements AutoCloseable {
    private final ZipOutputStream zip;
    private final String top;
    private final List<String> missing = new ArrayList<>();

    /**
     * @param top the folder in the archive
     * @throws FarmException ALREADY_EXISTS: it overwrites nothing
     */
    public Bundle(Path file, String top) {
        this.top = top;
        try {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            this.zip = new ZipOutputStream(Files.newOutputStream(file), StandardCharsets.UTF_8);
        } catch (FileAlreadyExistsException e) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS, "support-bundle", file.toString(), "", e);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static FarmException failed(IOException e) {
        return new FarmException(
                ErrorKind.DISK_FAILED, "write bundle", "", String.valueOf(e.getMessage()), e);
    }

    /** Adds what the part makes; where it fails, that it did and why. */
    public void add(String name, Callable<String> part) {
        String text;
        String entry = name;
        try {
            text = Redaction.of(part.call());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "support-bundle", name, "", e);
        } catch (Exception e) { // whatever a part is made of: the others count
            text = Redaction.of(e.toString()) + "\n";
            entry = name + ".failed";
            missing.add(name + ": " + text.strip());
        }
        try {
            zip.putNextEntry(new ZipEntry(top + "/" + entry));
            zip.write(text.getBytes(StandardCharsets.UTF_8));
            zip.closeEntry();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Parts that could not be had, and why. */
    public List<String> missing() {
        return List.copyOf(missing);
    }

    @Override
    public void close() {
        try {
            zip.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }
}
