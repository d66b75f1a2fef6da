package org.gridfarm.client.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.Progressable;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.client.Space;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code fs.gf.impl}: a farm as Hadoop's file system. {@code gf:///data/x} is in the farm of the
 * usual configuration, {@code gf://archive/data/x} in that of {@code fs.gf.archive.config}. For any
 * number of threads; streams for one. All options: docs/hadoop.md.
 *
 * <p>A change of names is durable, and seen everywhere, when the call returns; contents after
 * {@code hsync}. The farm knows this process by its own credential, whatever user Hadoop takes it
 * for.
 */
public final class GridfarmFileSystem extends FileSystem {
    private static final URI DEFAULT = URI.create(Settings.SCHEME + ":///");

    private URI uri = DEFAULT;
    private Path home = new Path("/");
    private Path working = home;
    private Connections.@Nullable Lease lease;
    private @Nullable FarmCalls calls;

    /** By reflection, as Hadoop makes it. */
    public GridfarmFileSystem() {}

    @Override
    public String getScheme() {
        return Settings.SCHEME;
    }

    @Override
    public void initialize(URI name, Configuration configuration) throws IOException {
        super.initialize(name, configuration);
        setConf(configuration);
        uri =
                name.getAuthority() == null
                        ? DEFAULT
                        : URI.create(Settings.SCHEME + "://" + name.getAuthority());
        Settings settings = new Settings(name, configuration);
        Connections.Lease taken = Connections.take(settings);
        lease = taken;
        calls = new FarmCalls(taken.farm(), settings, this::path, () -> statistics);
        home = path("/user/" + taken.farm().user());
        working = home;
    }

    @Override
    public URI getUri() {
        return uri;
    }

    /** A path of the farm as this file system names it; colons and all. */
    Path path(String path) {
        return new Path(Settings.SCHEME, uri.getAuthority(), path);
    }

    /** What the farm calls it; refused where it is of another file system. */
    String text(Path path) {
        checkPath(path);
        return makeQualified(path).toUri().getPath();
    }

    private FarmCalls calls() throws IOException {
        FarmCalls open = calls;
        if (open == null) {
            throw new IOException("Filesystem closed: " + uri);
        }
        return open;
    }

    Gridfarm farm() throws IOException {
        return calls().farm();
    }

    @Override
    public void close() throws IOException {
        super.close(); // deletes what was to be deleted on exit
        calls = null;
        if (lease != null) {
            lease.close();
        }
    }

    @Override
    public Path getHomeDirectory() {
        return home;
    }

    @Override
    public Path getWorkingDirectory() {
        return working;
    }

    @Override
    public void setWorkingDirectory(Path directory) {
        working = makeQualified(directory);
    }

    /** The farm's own credential says who this is: no token stands for it. */
    @Override
    public @Nullable String getCanonicalServiceName() {
        return null;
    }

    // ---- contents

    @Override
    public FSDataInputStream open(Path file, int bufferSize) throws IOException {
        return calls().open(text(file));
    }

    @Override
    public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
        return calls().open(FarmPathHandle.of(handle));
    }

    @Override
    protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
        return calls == null
                ? super.createPathHandle(status, options)
                : FarmCalls.handle(text(status.getPath()), status, options);
    }

    @Override
    public FSDataOutputStream create(
            Path file,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress)
            throws IOException {
        EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.CREATE);
        if (overwrite) {
            flags.add(CreateFlag.OVERWRITE);
        }
        return create(file, permission, flags, bufferSize, replication, blockSize, progress, null);
    }

    @Override
    public FSDataOutputStream create(
            Path file,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress,
            Options.@Nullable ChecksumOpt checksums)
            throws IOException {
        return calls().create(text(file), masked(permission), flags, replication, true);
    }

    @Override
    public FSDataOutputStream createNonRecursive(
            Path file,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress)
            throws IOException {
        return calls().create(text(file), masked(permission), flags, replication, false);
    }

    /** Of FileContext, which has taken the umask away. */
    @Override
    @Deprecated
    protected FSDataOutputStream primitiveCreate(
            Path file,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress,
            Options.ChecksumOpt checksums)
            throws IOException {
        return calls().create(text(file), exactly(permission), flags, replication, true);
    }

    private NewPermission masked(@Nullable FsPermission permission) {
        return NewPermission.masked(
                permission == null ? FsPermission.getFileDefault() : permission,
                FsPermission.getUMask(getConf()));
    }

    private NewPermission exactly(FsPermission permission) {
        return NewPermission.exactly(permission, FsPermission.getUMask(getConf()));
    }

    @Override
    public FSDataOutputStream append(Path file, int bufferSize, Progressable progress)
            throws IOException {
        return calls().append(text(file), false);
    }

    @Override
    public boolean truncate(Path file, long size) throws IOException {
        calls().truncate(text(file), size);
        return true;
    }

    /** What lies in several files lies on several chains of nodes. */
    @Override
    public void concat(Path target, Path[] sources) {
        throw new UnsupportedOperationException(
                "concat: the farm cannot join files without copying them; use the multipart uploader");
    }

    @Override
    public MultipartUploaderBuilder<?, ?> createMultipartUploader(Path base) {
        return new FarmUploader.Builder(this, base);
    }

    @Override
    public @Nullable FileChecksum getFileChecksum(Path file, long length) throws IOException {
        return calls().checksum(text(file), length);
    }

    // ---- names

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        Renames renames = new Renames(farm());
        return Failures.told(() -> renames.rename(text(from), text(to)));
    }

    @Override
    @Deprecated
    protected void rename(Path from, Path to, Options.Rename... options) throws IOException {
        boolean replaces = List.of(options).contains(Options.Rename.OVERWRITE);
        Renames renames = new Renames(farm());
        Failures.done(() -> renames.renameExactly(text(from), text(to), replaces));
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return calls().delete(text(path), recursive);
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        FsPermission wanted = permission == null ? FsPermission.getDirDefault() : permission;
        calls().mkdirs(text(path), NewPermission.masked(wanted, FsPermission.getUMask(getConf())));
        return true;
    }

    @Override
    @Deprecated
    protected boolean primitiveMkdir(Path path, FsPermission permission) throws IOException {
        calls().mkdirs(text(path), exactly(permission));
        return true;
    }

    @Override
    public boolean supportsSymlinks() {
        return true;
    }

    @Override
    public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
        calls().symlink(target, text(link), createParent, uri);
    }

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
        return calls().statLink(text(path));
    }

    /** As it was written, relative or not; refused for what is no link. */
    @Override
    public Path getLinkTarget(Path link) throws IOException {
        return new Path(calls().readLink(text(link)));
    }

    @Override
    protected Path resolveLink(Path link) throws IOException {
        return new Path(makeQualified(link).getParent(), getLinkTarget(link));
    }

    // ---- looking

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return calls().stat(text(path));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return calls().list(text(path));
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        return calls().iterate(text(path));
    }

    @Override
    public BlockLocation @Nullable [] getFileBlockLocations(
            FileStatus file, long start, long length) throws IOException {
        if (file == null) {
            return null;
        }
        if (start < 0 || length < 0) {
            throw new IllegalArgumentException("Invalid start or len: " + start + ", " + length);
        }
        return calls().places(text(file.getPath()), file, start, length);
    }

    @Override
    public ContentSummary getContentSummary(Path path) throws IOException {
        return calls().summary(text(path));
    }

    @Override
    public FsStatus getStatus(@Nullable Path path) throws IOException {
        Gridfarm farm = farm();
        String text = path == null ? "/" : text(path);
        Space space = Failures.told(() -> farm.space(text));
        return new FsStatus(space.total(), space.total() - space.free(), space.available());
    }

    @Override
    @Deprecated
    public long getDefaultBlockSize() {
        return calls == null ? super.getDefaultBlockSize() : calls.blockSize();
    }

    @Override
    @Deprecated
    public short getDefaultReplication() {
        return getDefaultReplication(new Path("/"));
    }

    /** What the nearest directory that is there gives to new files. */
    @Override
    public short getDefaultReplication(Path path) {
        return calls == null ? 1 : calls.level(text(path));
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        text(path);
        return switch (capability.toLowerCase(Locale.ENGLISH)) {
            case CommonPathCapabilities.FS_ACLS,
                    CommonPathCapabilities.FS_APPEND,
                    CommonPathCapabilities.FS_MULTIPART_UPLOADER,
                    CommonPathCapabilities.FS_PATHHANDLES,
                    CommonPathCapabilities.FS_PERMISSIONS,
                    CommonPathCapabilities.FS_SYMLINKS,
                    CommonPathCapabilities.FS_TRUNCATE,
                    CommonPathCapabilities.FS_XATTRS ->
                    true;
            case CommonPathCapabilities.FS_CHECKSUMS -> calls().tellsChecksums();
            case CommonPathCapabilities.FS_CONCAT -> false;
            default -> super.hasPathCapability(path, capability);
        };
    }

    // ---- attributes

    @Override
    public boolean setReplication(Path path, short level) throws IOException {
        return calls().setReplicas(text(path), level);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        calls().setPermission(text(path), permission);
    }

    @Override
    public void setOwner(Path path, @Nullable String user, @Nullable String group)
            throws IOException {
        calls().setOwner(text(path), user, group);
    }

    /** Milliseconds; -1: it stays as it is. */
    @Override
    public void setTimes(Path path, long modified, long accessed) throws IOException {
        calls().setTimes(text(path), modified, accessed);
    }

    /** By the farm's user, who may be another than Hadoop's. */
    @Override
    public void access(Path path, FsAction wanted) throws IOException {
        if (!acl(path, (acls, text) -> acls.permits(text, wanted))) {
            throw new AccessControlException(
                    "Permission denied: user=" + farm().user() + ", path=" + path + ", " + wanted);
        }
    }

    private interface AclCall<T> {
        T by(Acls acls, String path) throws IOException;
    }

    private <T> T acl(Path path, AclCall<T> call) throws IOException {
        try {
            return call.by(new Acls(farm()), text(path));
        } catch (FarmException e) {
            throw Failures.of(e);
        }
    }

    private interface AclChange {
        void by(Acls acls, String path) throws IOException;
    }

    private void change(Path path, AclChange change) throws IOException {
        try {
            change.by(new Acls(farm()), text(path));
        } catch (FarmException e) {
            throw Failures.of(e);
        }
    }

    @Override
    public void modifyAclEntries(Path path, List<AclEntry> spec) throws IOException {
        change(path, (acls, text) -> acls.modify(text, spec));
    }

    @Override
    public void removeAclEntries(Path path, List<AclEntry> spec) throws IOException {
        change(path, (acls, text) -> acls.remove(text, spec));
    }

    @Override
    public void removeDefaultAcl(Path path) throws IOException {
        change(path, Acls::removeDefault);
    }

    @Override
    public void removeAcl(Path path) throws IOException {
        change(path, Acls::removeAll);
    }

    @Override
    public void setAcl(Path path, List<AclEntry> spec) throws IOException {
        change(path, (acls, text) -> acls.replace(text, spec));
    }

    @Override
    public AclStatus getAclStatus(Path path) throws IOException {
        return acl(path, Acls::status);
    }

    @Override
    public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        Xattrs xattrs = new Xattrs(farm());
        Failures.done(() -> xattrs.set(text(path), name, value, flags));
    }

    @Override
    public byte[] getXAttr(Path path, String name) throws IOException {
        Xattrs xattrs = new Xattrs(farm());
        return Failures.told(() -> xattrs.get(text(path), name));
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path) throws IOException {
        Xattrs xattrs = new Xattrs(farm());
        return Failures.told(() -> xattrs.all(text(path), null));
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        Xattrs xattrs = new Xattrs(farm());
        return Failures.told(() -> xattrs.all(text(path), names));
    }

    @Override
    public List<String> listXAttrs(Path path) throws IOException {
        Gridfarm farm = farm();
        return Failures.told(() -> farm.listXattr(text(path)));
    }

    @Override
    public void removeXAttr(Path path, String name) throws IOException {
        Gridfarm farm = farm();
        Failures.done(() -> farm.removeXattr(text(path), name));
    }
}
