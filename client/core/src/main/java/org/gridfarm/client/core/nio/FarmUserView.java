package org.gridfarm.client.core.nio;

import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;

/** The extended attributes of a file whose names begin with {@code user.}, without that. */
final class FarmUserView implements UserDefinedFileAttributeView {
    private static final String PREFIX = "user.";

    private final FarmNioPath path;
    private final boolean follow;

    FarmUserView(FarmNioPath path, boolean follow) {
        this.path = path;
        this.follow = follow;
    }

    @Override
    public String name() {
        return "user";
    }

    @Override
    public List<String> list() throws IOException {
        return at(where ->
                path.farm().listXattr(where).stream()
                        .filter(name -> name.startsWith(PREFIX))
                        .map(name -> name.substring(PREFIX.length()))
                        .toList());
    }

    byte[] value(String name) throws IOException {
        return at(where -> path.farm().getXattr(where, PREFIX + name))
                .orElseThrow(() ->
                        new FileSystemException(
                                path.toString(), null, "no attribute '" + PREFIX + name + "'"));
    }

    @Override
    public int size(String name) throws IOException {
        return value(name).length;
    }

    @Override
    public int read(String name, ByteBuffer into) throws IOException {
        byte[] value = value(name);
        if (value.length > into.remaining()) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    String.format(
                            "attribute '%s%s' has %d bytes, the buffer has room for %d",
                            PREFIX, name, value.length, into.remaining()));
        }
        into.put(value);
        return value.length;
    }

    @Override
    public int write(String name, ByteBuffer from) throws IOException {
        byte[] value = new byte[from.remaining()];
        from.get(value);
        at(where -> {
            path.farm().setXattr(where, PREFIX + name, value);
            return value;
        });
        return value.length;
    }

    @Override
    public void delete(String name) throws IOException {
        at(where -> {
            path.farm().removeXattr(where, PREFIX + name);
            return name;
        });
    }

    private interface Step<T> {
        T on(FarmPath where);
    }

    /** Links have no such attributes. */
    private <T> T at(Step<T> step) throws IOException {
        return FarmFileSystemProvider.call(() -> {
            FarmPath where = path.farmPath();
            if (!follow && path.farm().statLink(where).isSymbolicLink()) {
                throw new FileSystemException(
                        path.toString(), null, "a symbolic link has no attributes of users");
            }
            return step.on(where);
        });
    }
}
