package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.FileInfo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Attributes by their names, as in {@code size,lastModifiedTime}, {@code posix:*} or {@code
 * unix:nlink}; those of unix are named as in the JDK.
 */
final class NamedAttributes {
    /** What the file systems of the farm have; ACLs are POSIX', for which Java has no view. */
    static final Set<String> VIEWS =
            Set.of("basic", "owner", "posix", "unix", "user", ReplicaAttributes.VIEW);

    private final FarmNioPath path;
    private final boolean follow;
    private final String view;
    private final String names;

    private NamedAttributes(FarmNioPath path, boolean follow, String text) {
        int colon = text.indexOf(':');
        this.path = path;
        this.follow = follow;
        view = colon < 0 ? "basic" : text.substring(0, colon);
        names = text.substring(colon + 1);
        if (!VIEWS.contains(view)) {
            throw new UnsupportedOperationException("view '" + view + "' of attributes");
        }
    }

    static Map<String, Object> read(FarmNioPath path, boolean follow, String names)
            throws IOException {
        NamedAttributes of = new NamedAttributes(path, follow, names);
        return of.view.equals("user") ? of.users() : of.chosen(of.all());
    }

    static void set(FarmNioPath path, boolean follow, String name, Object value)
            throws IOException {
        new NamedAttributes(path, follow, name).set(value);
    }

    // ---- reading

    private Map<String, Object> users() throws IOException {
        FarmUserView user = new FarmUserView(path, follow);
        List<String> wanted = names.equals("*") ? user.list() : List.of(names.split(","));
        Map<String, Object> values = new LinkedHashMap<>();
        for (String name : wanted) {
            values.put(name, user.value(name));
        }
        return values;
    }

    private Map<String, Object> all() throws IOException {
        if (view.equals(ReplicaAttributes.VIEW)) {
            return new ReplicaAttributes(path).all();
        }
        FarmAttributes found = new FarmAttributeView(view, path, follow).readAttributes();
        Map<String, Object> all = new LinkedHashMap<>();
        if (view.equals("owner")) {
            all.put("owner", found.owner());
            return all;
        }
        all.put("lastModifiedTime", found.lastModifiedTime());
        all.put("lastAccessTime", found.lastAccessTime());
        all.put("creationTime", found.creationTime());
        all.put("size", found.size());
        all.put("isRegularFile", found.isRegularFile());
        all.put("isDirectory", found.isDirectory());
        all.put("isSymbolicLink", found.isSymbolicLink());
        all.put("isOther", found.isOther());
        all.put("fileKey", found.fileKey());
        if (!view.equals("basic")) {
            all.put("permissions", found.permissions());
            all.put("owner", found.owner());
            all.put("group", found.group());
        }
        if (view.equals("unix")) {
            addUnix(found.info(), all);
        }
        return all;
    }

    private static void addUnix(FileInfo info, Map<String, Object> all) {
        int type =
                switch (info.type()) {
                    case REGULAR -> 0100000;
                    case DIRECTORY -> 0040000;
                    case SYMLINK -> 0120000;
                    case FIFO -> 0010000;
                    case SOCKET -> 0140000;
                    case CHARACTER_DEVICE -> 0020000;
                    case BLOCK_DEVICE -> 0060000;
                    default -> 0;
                };
        all.put("mode", type | info.mode());
        all.put("ino", info.inode());
        all.put("nlink", info.links());
        all.put("uid", info.uid());
        all.put("gid", info.gid());
        all.put("ctime", FileTime.from(info.changed()));
    }

    private Map<String, Object> chosen(Map<String, Object> all) {
        Map<String, Object> some = new LinkedHashMap<>();
        for (String name : names.split(",")) {
            if (name.equals("*")) {
                return all;
            }
            Object value = all.get(name);
            if (value == null) {
                throw new IllegalArgumentException("no attribute '" + view + ":" + name + "'");
            }
            some.put(name, value);
        }
        return some;
    }

    // ---- changing

    private void set(Object value) throws IOException {
        if (view.equals(ReplicaAttributes.VIEW)) {
            new ReplicaAttributes(path).set(names, value);
            return;
        }
        FarmAttributeView attributes = new FarmAttributeView(view, path, follow);
        if (view.equals("user")) {
            ByteBuffer bytes =
                    value instanceof byte[] array ? ByteBuffer.wrap(array) : (ByteBuffer) value;
            new FarmUserView(path, follow).write(names, bytes);
        } else if (names.equals("owner") && !view.equals("basic")) {
            attributes.setOwner((UserPrincipal) value);
        } else if (view.equals("owner")) {
            throw unknown();
        } else if (names.equals("lastModifiedTime")) {
            attributes.setTimes((FileTime) value, null, null);
        } else if (names.equals("lastAccessTime")) {
            attributes.setTimes(null, (FileTime) value, null);
        } else if (names.equals("creationTime")) {
            throw new UnsupportedOperationException("the time of creation cannot be set");
        } else if (view.equals("basic")) {
            throw unknown();
        } else if (names.equals("permissions")) {
            attributes.setPermissions(FarmAttributes.permissions((Set<?>) value));
        } else if (names.equals("group")) {
            attributes.setGroup((GroupPrincipal) value);
        } else {
            setUnix(attributes, value);
        }
    }

    private void setUnix(FarmAttributeView attributes, Object value) throws IOException {
        if (!view.equals("unix")) {
            throw unknown();
        }
        int number = (Integer) value;
        switch (names) {
            case "mode" -> attributes.change(AttributeChange.NONE.withMode(number & 07777));
            case "uid" -> attributes.change(AttributeChange.NONE.withOwner(number, null));
            case "gid" -> attributes.change(AttributeChange.NONE.withOwner(null, number));
            default -> throw unknown();
        }
    }

    private IllegalArgumentException unknown() {
        return new IllegalArgumentException(
                "attribute '" + view + ":" + names + "' is not there or cannot be set");
    }
}
