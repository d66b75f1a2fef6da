package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.XAttrSetFlag;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The calls of FileSystem about extended attributes; names as in {@code user.origin}. */
final class Xattrs {
    private final Gridfarm farm;

    Xattrs(Gridfarm farm) {
        this.farm = farm;
    }

    void set(String path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags) {
        byte[] bytes = value == null ? new byte[0] : value;
        boolean creates = flags.contains(XAttrSetFlag.CREATE);
        boolean replaces = flags.contains(XAttrSetFlag.REPLACE);
        if (creates && replaces) {
            farm.setXattr(path, name, bytes);
        } else if (creates) {
            farm.addXattr(path, name, bytes);
        } else if (replaces) {
            farm.replaceXattr(path, name, bytes);
        } else {
            throw new FarmException(
                    ErrorKind.INVALID, "set attribute", path, "neither create nor replace");
        }
    }

    byte[] get(String path, String name) {
        return farm.getXattr(path, name)
                .orElseThrow(() -> new FarmException(ErrorKind.NO_ATTRIBUTE, "get " + name, path));
    }

    /** Those of a list that are not there are left out only where all were asked for. */
    Map<String, byte[]> all(String path, @Nullable List<String> names) {
        Map<String, byte[]> found = new TreeMap<>();
        if (names == null) {
            for (String name : farm.listXattr(path)) {
                Optional<byte[]> value = farm.getXattr(path, name); // gone meanwhile, perhaps
                value.ifPresent(bytes -> found.put(name, bytes));
            }
        } else {
            names.forEach(name -> found.put(name, get(path, name)));
        }
        return found;
    }
}
