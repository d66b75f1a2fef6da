package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.metadata.Found;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Many names of one directory are looked up, many at once. */
record NamesLookup(Gridfarm farm, FileInfo directory) {
    private static final int AT_ONCE = 128;

    /**
     * What there is of them, in their order. A name that is another kind of thing by now is left
     * out, as one that went.
     *
     * @param names those of directories with a slash at the end
     */
    Map<byte[], FileInfo> all(List<byte[]> names) {
        Map<byte[], FileInfo> found = new LinkedHashMap<>();
        for (int from = 0; from < names.size(); from += AT_ONCE) {
            some(names.subList(from, Math.min(names.size(), from + AT_ONCE)), found);
        }
        return found;
    }

    private void some(List<byte[]> names, Map<byte[], FileInfo> found) {
        Metadata metadata = farm.metadata();
        List<CompletableFuture<Found>> asked = new ArrayList<>();
        for (byte[] each : names) {
            asked.add(metadata.lookup(metadata.self(), directory.inode(), name(each)));
        }
        for (int i = 0; i < names.size(); i++) {
            Attributes now = await(asked.get(i)).attributes();
            byte[] key = names.get(i);
            if (now == null) continue;
            FileInfo entry = new FileInfo(directory.path().child(name(key)), now);
            if (entry.isDirectory() == isDirectory(key)) found.put(key, entry);
        }
    }

    private static boolean isDirectory(byte[] key) {
        return key[key.length - 1] == '/';
    }

    private static Name name(byte[] key) {
        return Name.of(isDirectory(key) ? Arrays.copyOf(key, key.length - 1) : key);
    }

    private Found await(CompletableFuture<Found> asked) {
        try {
            return asked.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "list", directory.path().toString());
        } catch (ExecutionException e) {
            throw FarmException.of(e, "list", "").about("list", directory.path().toString());
        }
    }
}
