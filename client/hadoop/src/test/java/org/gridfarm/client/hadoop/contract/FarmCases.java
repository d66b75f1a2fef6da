package org.gridfarm.client.hadoop.contract;

import static org.gridfarm.client.hadoop.contract.GridfarmContract.ROOT;
import static org.gridfarm.client.hadoop.contract.GridfarmContract.configured;
import static org.gridfarm.client.hadoop.contract.GridfarmContract.directory;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.gridfarm.client.Gridfarm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What Hadoop's contracts do not ask for. On a farm of the nodes n1, n2 and n3. */
final class FarmCases {
    private static final Path HERE = new Path(directory(), "cases");
    private static final byte[] TEXT = "what was written".getBytes(StandardCharsets.UTF_8);

    private FileSystem fs;
    private Gridfarm farm;

    @BeforeEach
    void open() throws IOException {
        fs = with("fs.gf.host.n1", "one", "fs.gf.host.n2", "two", "fs.gf.host.n3", "three");
        farm = Gridfarm.connect();
        fs.mkdirs(HERE);
    }

    @AfterEach
    void close() throws IOException {
        fs.delete(HERE, true);
        fs.close();
        farm.close();
    }

    private static FileSystem with(String... options) throws IOException {
        Configuration configuration = configured(new Configuration());
        for (int i = 0; i < options.length; i += 2) {
            configuration.set(options[i], options[i + 1]);
        }
        return FileSystem.newInstance(ROOT, configuration);
    }

    private Path written(String name, byte[] bytes) throws IOException {
        Path file = new Path(HERE, name);
        try (FSDataOutputStream out = fs.create(file, true)) {
            out.write(bytes);
        }
        return file;
    }

    private static String text(Path path) {
        return path.toUri().getPath();
    }

    // ---- places

    @Test
    void blocksAreWhereTheReplicasAre() throws IOException {
        Path file = new Path(HERE, "two-copies");
        try (FSDataOutputStream out = fs.create(file, true, 4096, (short) 2, 1 << 20)) {
            out.write(TEXT);
        }
        FileStatus status = fs.getFileStatus(file);
        assertEquals(2, status.getReplication());
        BlockLocation[] found = fs.getFileBlockLocations(status, 0, status.getLen());
        assertEquals(1, found.length);
        Set<String> told = new TreeSet<>(Arrays.asList(found[0].getHosts()));
        Set<String> expected = new TreeSet<>();
        farm.where(text(file)).stripes().get(0).copies().stream()
                .filter(copy -> copy.readable())
                .forEach(copy ->
                        expected.add(
                                copy.node().equals("n1")
                                        ? "one"
                                        : copy.node().equals("n2") ? "two" : "three"));
        assertEquals(2, told.size());
        assertEquals(expected, told);
        assertEquals(TEXT.length, found[0].getLength());
        assertTrue(found[0].getNames()[0].matches("(one|two|three):[0-9]+"), found[0].toString());
    }

    @Test
    void eachUnitOfAStripedFileHasItsOwnPlace() throws IOException {
        farm.mkdirs(text(HERE) + "/striped");
        farm.setReplicas(text(HERE) + "/striped", 1);
        farm.setStripes(text(HERE) + "/striped", 2, 1 << 20);
        try (FileSystem small = with("fs.gf.block.size", "4m")) {
            Path file = new Path(HERE, "striped/file");
            try (FSDataOutputStream out = small.create(file, true)) {
                out.write(new byte[5 << 19]);
            }
            FileStatus status = small.getFileStatus(file);
            BlockLocation[] found = small.getFileBlockLocations(status, 0, status.getLen());
            assertEquals(3, found.length);
            assertEquals(1 << 20, found[1].getOffset());
            assertEquals(1 << 19, found[2].getLength());
            assertArrayEquals(found[0].getNames(), found[2].getNames());
        }
    }

    @Test
    void theLevelOfADirectoryCountsWhereNobodySaysAnother() throws IOException {
        farm.setReplicas(text(HERE), 3);
        assertEquals(3, fs.getDefaultReplication(new Path(HERE, "not/there")));
        Path file = written("three", TEXT);
        assertEquals(3, fs.getFileStatus(file).getReplication());
        assertTrue(fs.setReplication(file, (short) 1));
        assertEquals(1, fs.getFileStatus(file).getReplication());
        assertFalse(fs.setReplication(HERE, (short) 1));
    }

    // ---- contents

    @Test
    void whatWasFlushedIsReadByOthers() throws IOException {
        Path file = new Path(HERE, "growing");
        try (FileSystem other = with("fs.gf.timeout", "20s");
                FSDataOutputStream out = fs.create(file)) {
            out.write(TEXT);
            out.hflush();
            assertEquals(TEXT.length, other.getFileStatus(file).getLen());
            try (FSDataInputStream in = other.open(file)) {
                assertArrayEquals(TEXT, in.readNBytes(100));
            }
            out.write(TEXT);
            out.hsync();
            assertEquals(2 * TEXT.length, other.getFileStatus(file).getLen());
        }
    }

    @Test
    void aFileIsCutAndNotGrownByTruncate() throws IOException {
        Path file = written("cut", TEXT);
        assertTrue(fs.truncate(file, 4));
        assertEquals(4, fs.getFileStatus(file).getLen());
        assertThrows(IllegalArgumentException.class, () -> fs.truncate(file, 5));
        assertThrows(FileNotFoundException.class, () -> fs.truncate(HERE, 0));
    }

    @Test
    void checksumsAreToldWhereTheyAreAskedFor() throws IOException {
        Path file = written("sum", TEXT);
        Path same = written("same", TEXT);
        Path other = written("other", new byte[TEXT.length]);
        assertNull(fs.getFileChecksum(file));
        try (FileSystem telling = with("fs.gf.checksum", "digest")) {
            assertTrue(telling.hasPathCapability(file, CommonPathCapabilities.FS_CHECKSUMS));
            assertEquals(telling.getFileChecksum(file), telling.getFileChecksum(same));
            assertFalse(telling.getFileChecksum(file).equals(telling.getFileChecksum(other)));
        }
    }

    @Test
    void concatIsRefused() throws IOException {
        Path file = written("a", TEXT);
        Path[] sources = {written("b", TEXT)};
        assertThrows(UnsupportedOperationException.class, () -> fs.concat(file, sources));
        assertFalse(fs.hasPathCapability(file, CommonPathCapabilities.FS_CONCAT));
    }

    // ---- names

    @Test
    void namesOfAnyKindAreListed() throws IOException {
        for (String name : List.of("a:b", "ä ö", "100%", "#?*[x]{y}", ".hidden")) {
            farm.write(text(HERE) + "/" + name).close();
            FileStatus found = fs.getFileStatus(new Path("gf", null, text(HERE) + "/" + name));
            assertEquals(name, found.getPath().getName());
        }
        assertEquals(5, fs.listStatus(HERE).length);
        assertEquals(5, fs.getContentSummary(HERE).getFileCount());
    }

    @Test
    void linksAreListedAsWhatTheyLeadTo() throws IOException {
        Path file = written("file", TEXT);
        fs.createSymlink(file, new Path(HERE, "link"), false);
        fs.createSymlink(new Path("nowhere"), new Path(HERE, "wrong"), false);
        FileStatus[] found = fs.listStatus(HERE);
        assertEquals(TEXT.length, found[1].getLen());
        assertTrue(found[1].isFile());
        assertTrue(found[2].isSymlink());
        assertEquals(new Path("nowhere"), fs.getLinkTarget(new Path(HERE, "wrong")));
        assertThrows(
                IOException.class,
                () -> fs.createSymlink(new Path("hdfs://x/y"), new Path(HERE, "far"), false));
    }

    // ---- attributes

    @Test
    void attributesAreMadeReplacedAndRemoved() throws IOException {
        Path file = written("attributes", TEXT);
        fs.setXAttr(file, "user.a", TEXT);
        assertArrayEquals(TEXT, fs.getXAttr(file, "user.a"));
        EnumSet<XAttrSetFlag> create = EnumSet.of(XAttrSetFlag.CREATE);
        EnumSet<XAttrSetFlag> replace = EnumSet.of(XAttrSetFlag.REPLACE);
        assertThrows(
                FileAlreadyExistsException.class, () -> fs.setXAttr(file, "user.a", TEXT, create));
        assertThrows(IOException.class, () -> fs.setXAttr(file, "user.b", TEXT, replace));
        fs.setXAttr(file, "user.a", new byte[1], replace);
        fs.setXAttr(file, "user.b", new byte[0], create);
        assertEquals(List.of("user.a", "user.b"), fs.listXAttrs(file).stream().sorted().toList());
        assertArrayEquals(new byte[1], fs.getXAttrs(file).get("user.a"));
        fs.removeXAttr(file, "user.a");
        assertThrows(IOException.class, () -> fs.getXAttr(file, "user.a"));
    }

    @Test
    void aclsAreThoseOfPosix() throws IOException {
        Path file = written("acl", TEXT);
        fs.setPermission(file, new FsPermission((short) 0640));
        fs.modifyAclEntries(file, AclEntry.parseAclSpec("user:daemon:rwx,group:12345:r--", true));
        AclStatus told = fs.getAclStatus(file);
        assertEquals(
                AclEntry.parseAclSpec("user:daemon:rwx,group::r--,group:12345:r--", true),
                told.getEntries());
        assertEquals(0670, fs.getFileStatus(file).getPermission().toShort()); // the mask
        fs.removeAclEntries(file, AclEntry.parseAclSpec("user:daemon", false));
        assertEquals(0640, fs.getFileStatus(file).getPermission().toShort());
        fs.removeAcl(file);
        assertEquals(List.of(), fs.getAclStatus(file).getEntries());
        assertEquals(0640, fs.getFileStatus(file).getPermission().toShort());
        fs.setAcl(
                file,
                AclEntry.parseAclSpec("user::rw-,user:daemon:r--,group::---,other::r--", true));
        assertEquals(0644, fs.getFileStatus(file).getPermission().toShort());
        assertThrows(
                IOException.class,
                () -> fs.removeAclEntries(file, AclEntry.parseAclSpec("other::", false)));
        assertThrows(
                IOException.class,
                () ->
                        fs.modifyAclEntries(
                                file, AclEntry.parseAclSpec("user:no-such-user:rwx", true)));
    }

    @Test
    void aDirectorysDefaultAclIsInherited() throws IOException {
        fs.modifyAclEntries(HERE, AclEntry.parseAclSpec("default:user:daemon:rwx", true));
        assertEquals(5, fs.getAclStatus(HERE).getEntries().size());
        Path file = written("inherits", TEXT);
        assertTrue(
                fs.getAclStatus(file).getEntries().stream()
                        .anyMatch(entry -> "daemon".equals(entry.getName())));
        fs.removeDefaultAcl(HERE);
        assertEquals(List.of(), fs.getAclStatus(HERE).getEntries());
        fs.access(HERE, FsAction.ALL);
    }

    // ---- bad input

    @Test
    void theRootIsNotDeletedWhateverIsInIt() throws IOException {
        Path root = new Path("/");
        assertThrows(PathIsNotEmptyDirectoryException.class, () -> fs.delete(root, false));
        assertFalse(fs.delete(root, true));
        assertTrue(fs.exists(HERE));
    }

    @Test
    void whatIsWrongIsToldInOneLine() throws IOException {
        assertTold("fs.gf.archive.config", () -> at("gf://archive/", "fs.gf.x", "y"));
        assertTold("fs.gf.block.size", () -> at("gf:///", "fs.gf.block.size", "0"));
        assertTold("fs.gf.block.size", () -> at("gf:///", "fs.gf.block.size", "many"));
        assertTold("fs.gf.read.buffer", () -> at("gf:///", "fs.gf.read.buffer", "1"));
        assertTold("fs.gf.timeout", () -> at("gf:///", "fs.gf.timeout", "soon"));
        assertTold("none or digest", () -> at("gf:///", "fs.gf.checksum", "md5"));
        assertTold("/no/such/file", () -> at("gf:///", "fs.gf.config", "/no/such/file"));
        assertTold("no-such-user", () -> fs.setOwner(HERE, "no-such-user", null));
        FileSystem closed = with();
        closed.close();
        assertTold("closed", () -> closed.listStatus(HERE));
        fs.getFileStatus(HERE); // another's session goes on
    }

    private static void at(String uri, String key, String value) throws IOException {
        Configuration configuration = configured(new Configuration());
        configuration.set(key, value);
        FileSystem.newInstance(URI.create(uri), configuration).close();
    }

    private interface Wrong {
        void call() throws IOException;
    }

    private static void assertTold(String word, Wrong wrong) {
        IOException told = assertThrows(IOException.class, wrong::call);
        String text = String.valueOf(told.getMessage());
        assertTrue(text.contains(word), text);
        assertEquals(1, text.lines().count(), text);
    }
}
