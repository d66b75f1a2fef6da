package org.gridfarm.client.hadoop.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Hadoop's client of WebHDFS with the gateway: what its contracts do not ask for. */
final class WebHdfsCases {
    private static final Path HERE = new Path(WebHdfsContract.directory(), "cases");

    private FileSystem fs;

    @BeforeEach
    void open() throws IOException {
        fs = WebHdfsContract.fileSystem(new Configuration());
        fs.delete(HERE, true);
        assertTrue(fs.mkdirs(HERE));
    }

    @AfterEach
    void close() throws IOException {
        fs.delete(HERE, true);
        fs.close();
    }

    private Path written(String name, String text) throws IOException {
        Path path = new Path(HERE, name);
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return path;
    }

    private String read(Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void namesOfEveryKindAndContents() throws IOException {
        for (String name :
                List.of("plain", "with blank", "100%", "a+b", "ä", "q?m=1&n", "#h", "a;b")) {
            Path path = written(name, name);
            assertEquals(name, read(path));
            assertEquals(name, fs.getFileStatus(path).getPath().getName());
        }
        assertEquals(8, fs.listStatus(HERE).length);
        List<String> seen = new ArrayList<>();
        RemoteIterator<FileStatus> each = fs.listStatusIterator(HERE);
        while (each.hasNext()) seen.add(each.next().getPath().getName());
        assertEquals(8, seen.size());
    }

    @Test
    void aReaderGoesWhereItWants() throws IOException {
        Path path = written("sought", "0123456789");
        try (FSDataInputStream in = fs.open(path)) {
            in.seek(7);
            assertEquals('7', in.read());
            byte[] some = new byte[3];
            in.readFully(2, some);
            assertArrayEquals("234".getBytes(StandardCharsets.UTF_8), some);
        }
        try (FSDataOutputStream out = fs.append(path)) {
            out.writeBytes("more");
        }
        assertEquals("0123456789more", read(path));
        assertTrue(fs.truncate(path, 4));
        assertEquals("0123", read(path));
    }

    @Test
    void attributesTravel() throws IOException {
        Path path = written("attributes", "x");
        fs.setPermission(path, new FsPermission((short) 0640));
        fs.setTimes(path, 86_400_000, -1);
        fs.setXAttr(path, "user.k", new byte[] {1, 2, (byte) 0xff});
        FileStatus status = fs.getFileStatus(path);
        assertEquals(0640, status.getPermission().toShort());
        assertEquals(86_400_000, status.getModificationTime());
        assertArrayEquals(new byte[] {1, 2, (byte) 0xff}, fs.getXAttr(path, "user.k"));
        assertEquals(List.of("user.k"), fs.listXAttrs(path));
        fs.removeXAttr(path, "user.k");
        fs.modifyAclEntries(path, AclEntry.parseAclSpec("user:daemon:r--", true));
        assertTrue(fs.getAclStatus(path).getEntries().toString().contains("user:daemon:r--"));
        fs.removeAcl(path);
        assertTrue(fs.getAclStatus(path).getEntries().isEmpty());
        assertTrue(fs.setReplication(path, (short) 1));
        fs.access(path, FsAction.READ);
        assertEquals(1, fs.getContentSummary(HERE).getFileCount());
        BlockLocation[] blocks = fs.getFileBlockLocations(status, 0, 1);
        assertEquals(1, blocks.length);
        assertTrue(blocks[0].getHosts().length > 0);
    }

    @Test
    void failuresAreThoseOfHdfs() throws IOException {
        Path path = written("there", "x");
        assertThrows(FileNotFoundException.class, () -> fs.open(new Path(HERE, "none")).read());
        assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(new Path(path, "below")));
        assertThrows(FileAlreadyExistsException.class, () -> fs.create(path, false).close());
        for (Path full : List.of(HERE, new Path("/"))) {
            IOException told = assertThrows(IOException.class, () -> fs.delete(full, false));
            assertTrue(
                    told.toString()
                            .contains(PathIsNotEmptyDirectoryException.class.getSimpleName()));
        }
        assertThrows(Exception.class, () -> fs.concat(path, new Path[] {path}));
        assertFalse(fs.rename(new Path(HERE, "none"), new Path(HERE, "other")));
    }
}
