package org.gridfarm.client.cli.bench.data;

import static org.gridfarm.client.cli.bench.data.Content.MIB;

import org.gridfarm.client.cli.bench.PlainSocket;
import org.gridfarm.client.core.FarmInputStream;
import org.gridfarm.client.core.FarmOutputStream;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Replica;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** One large file, in pieces of a MiB, by a client that is attached to no node. */
final class FarTransfer {
    private static final int TRIES = 32;

    private final Gridfarm farm;
    private final long pieces;

    FarTransfer(Gridfarm farm, long bytes) {
        this.farm = farm;
        this.pieces = Math.max(1, bytes / MIB);
    }

    private double rate(long began) {
        return pieces * MIB / 1e6 / ((System.nanoTime() - began) / 1e9);
    }

    /** As many bytes through a plain socket. */
    double socket() throws IOException {
        return PlainSocket.measure(pieces * MIB) / 1e6;
    }

    double write(FarmPath path) throws IOException {
        byte[] piece = new byte[MIB];
        Content.of(MIB).get(piece);
        long began = System.nanoTime();
        try (FarmOutputStream out = farm.write(path)) {
            for (long i = 0; i < pieces; i++) out.write(piece);
        }
        return rate(began);
    }

    double read(FarmPath path) throws IOException {
        byte[] piece = new byte[MIB];
        long began = System.nanoTime();
        try (FarmInputStream in = farm.read(path)) {
            for (long i = 0; i < pieces; i++) {
                if (in.readNBytes(piece, 0, MIB) < MIB) throw new IOException("it ends early");
            }
        }
        return rate(began);
    }

    double readAll(Path file) throws IOException {
        long began = System.nanoTime();
        try (FileChannel channel = Content.open(file, StandardOpenOption.READ)) {
            Content.read(channel, 0, MIB, pieces);
        }
        return rate(began);
    }

    /** A file that no node has to which the mount is attached. */
    FarmPath makeAwayFrom(Path mounted, FarmPath directory) throws IOException {
        Files.writeString(mounted.resolve("here"), "tells which node is here");
        Set<String> here = nodes(directory.child("here"));
        for (int i = 0; i < TRIES; i++) {
            FarmPath path = directory.child("away" + i);
            write(path);
            if (nodes(path).stream().noneMatch(here::contains)) return path;
            farm.delete(path);
        }
        throw new FarmException(
                ErrorKind.UNSUPPORTED,
                "bench",
                "",
                "no other node takes a file; are there several?");
    }

    private Set<String> nodes(FarmPath path) {
        Set<String> nodes = new HashSet<>();
        farm.where(path)
                .getObjectsList()
                .forEach(object ->
                        object.getReplicasList().stream()
                                .map(Replica::getNode)
                                .forEach(nodes::add));
        return nodes;
    }
}
