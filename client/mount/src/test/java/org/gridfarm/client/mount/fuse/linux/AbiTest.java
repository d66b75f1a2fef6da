package org.gridfarm.client.mount.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Has the C compiler read `linux/fuse.h` and compares every number. What an older header lacks is
/// left out and said.
class AbiTest {

    /// Constant, C expression, and the macro that a header must have for it (empty: all have it).
    private static final String TABLE =
            """
            IN_LEN offsetof(struct fuse_in_header,len)
            IN_OPCODE offsetof(struct fuse_in_header,opcode)
            IN_UNIQUE offsetof(struct fuse_in_header,unique)
            IN_NODEID offsetof(struct fuse_in_header,nodeid)
            IN_UID offsetof(struct fuse_in_header,uid)
            IN_GID offsetof(struct fuse_in_header,gid)
            IN_PID offsetof(struct fuse_in_header,pid)
            IN_BYTES sizeof(struct fuse_in_header)
            OUT_LEN offsetof(struct fuse_out_header,len)
            OUT_ERROR offsetof(struct fuse_out_header,error)
            OUT_UNIQUE offsetof(struct fuse_out_header,unique)
            OUT_BYTES sizeof(struct fuse_out_header)
            ATTR_INO offsetof(struct fuse_attr,ino)
            ATTR_SIZE offsetof(struct fuse_attr,size)
            ATTR_BLOCKS offsetof(struct fuse_attr,blocks)
            ATTR_ATIME offsetof(struct fuse_attr,atime)
            ATTR_MTIME offsetof(struct fuse_attr,mtime)
            ATTR_CTIME offsetof(struct fuse_attr,ctime)
            ATTR_ATIMENSEC offsetof(struct fuse_attr,atimensec)
            ATTR_MTIMENSEC offsetof(struct fuse_attr,mtimensec)
            ATTR_CTIMENSEC offsetof(struct fuse_attr,ctimensec)
            ATTR_MODE offsetof(struct fuse_attr,mode)
            ATTR_NLINK offsetof(struct fuse_attr,nlink)
            ATTR_UID offsetof(struct fuse_attr,uid)
            ATTR_GID offsetof(struct fuse_attr,gid)
            ATTR_RDEV offsetof(struct fuse_attr,rdev)
            ATTR_BLKSIZE offsetof(struct fuse_attr,blksize)
            ATTR_FLAGS offsetof(struct fuse_attr,flags)
            ATTR_BYTES sizeof(struct fuse_attr)
            ENTRY_NODEID offsetof(struct fuse_entry_out,nodeid)
            ENTRY_GENERATION offsetof(struct fuse_entry_out,generation)
            ENTRY_VALID offsetof(struct fuse_entry_out,entry_valid)
            ENTRY_ATTR_VALID offsetof(struct fuse_entry_out,attr_valid)
            ENTRY_VALID_NSEC offsetof(struct fuse_entry_out,entry_valid_nsec)
            ENTRY_ATTR_VALID_NSEC offsetof(struct fuse_entry_out,attr_valid_nsec)
            ENTRY_ATTR offsetof(struct fuse_entry_out,attr)
            ENTRY_BYTES sizeof(struct fuse_entry_out)
            ATTR_OUT_VALID offsetof(struct fuse_attr_out,attr_valid)
            ATTR_OUT_VALID_NSEC offsetof(struct fuse_attr_out,attr_valid_nsec)
            ATTR_OUT_ATTR offsetof(struct fuse_attr_out,attr)
            ATTR_OUT_BYTES sizeof(struct fuse_attr_out)
            OPEN_FH offsetof(struct fuse_open_out,fh)
            OPEN_FLAGS offsetof(struct fuse_open_out,open_flags)
            OPEN_BACKING offsetof(struct fuse_open_out,backing_id) FUSE_PASSTHROUGH
            OPEN_BYTES sizeof(struct fuse_open_out)
            GETATTR_FLAGS offsetof(struct fuse_getattr_in,getattr_flags)
            GETATTR_FH offsetof(struct fuse_getattr_in,fh)
            GETATTR_HAS_FH FUSE_GETATTR_FH
            SETATTR_VALID offsetof(struct fuse_setattr_in,valid)
            SETATTR_FH offsetof(struct fuse_setattr_in,fh)
            SETATTR_SIZE offsetof(struct fuse_setattr_in,size)
            SETATTR_LOCK_OWNER offsetof(struct fuse_setattr_in,lock_owner)
            SETATTR_ATIME offsetof(struct fuse_setattr_in,atime)
            SETATTR_MTIME offsetof(struct fuse_setattr_in,mtime)
            SETATTR_CTIME offsetof(struct fuse_setattr_in,ctime)
            SETATTR_ATIMENSEC offsetof(struct fuse_setattr_in,atimensec)
            SETATTR_MTIMENSEC offsetof(struct fuse_setattr_in,mtimensec)
            SETATTR_CTIMENSEC offsetof(struct fuse_setattr_in,ctimensec)
            SETATTR_MODE offsetof(struct fuse_setattr_in,mode)
            SETATTR_UID offsetof(struct fuse_setattr_in,uid)
            SETATTR_GID offsetof(struct fuse_setattr_in,gid)
            MKNOD_MODE offsetof(struct fuse_mknod_in,mode)
            MKNOD_RDEV offsetof(struct fuse_mknod_in,rdev)
            MKNOD_UMASK offsetof(struct fuse_mknod_in,umask)
            MKNOD_BYTES sizeof(struct fuse_mknod_in)
            MKDIR_MODE offsetof(struct fuse_mkdir_in,mode)
            MKDIR_UMASK offsetof(struct fuse_mkdir_in,umask)
            MKDIR_BYTES sizeof(struct fuse_mkdir_in)
            RENAME_NEWDIR offsetof(struct fuse_rename_in,newdir)
            RENAME_BYTES sizeof(struct fuse_rename_in)
            RENAME2_FLAGS offsetof(struct fuse_rename2_in,flags)
            RENAME2_BYTES sizeof(struct fuse_rename2_in)
            LINK_OLDNODEID offsetof(struct fuse_link_in,oldnodeid)
            LINK_BYTES sizeof(struct fuse_link_in)
            OPEN_IN_FLAGS offsetof(struct fuse_open_in,flags)
            OPEN_IN_OPEN_FLAGS offsetof(struct fuse_open_in,open_flags)
            OPEN_KILL_SUIDGID FUSE_OPEN_KILL_SUIDGID
            CREATE_FLAGS offsetof(struct fuse_create_in,flags)
            CREATE_MODE offsetof(struct fuse_create_in,mode)
            CREATE_UMASK offsetof(struct fuse_create_in,umask)
            CREATE_BYTES sizeof(struct fuse_create_in)
            READ_FH offsetof(struct fuse_read_in,fh)
            READ_OFFSET offsetof(struct fuse_read_in,offset)
            READ_SIZE offsetof(struct fuse_read_in,size)
            READ_FLAGS offsetof(struct fuse_read_in,flags)
            READ_FH offsetof(struct fuse_write_in,fh)
            READ_OFFSET offsetof(struct fuse_write_in,offset)
            READ_SIZE offsetof(struct fuse_write_in,size)
            READ_FLAGS offsetof(struct fuse_write_in,flags)
            WRITE_WRITE_FLAGS offsetof(struct fuse_write_in,write_flags)
            WRITE_BYTES sizeof(struct fuse_write_in)
            WRITE_OUT_BYTES sizeof(struct fuse_write_out)
            RELEASE_FH offsetof(struct fuse_release_in,fh)
            RELEASE_FLAGS offsetof(struct fuse_release_in,flags)
            RELEASE_RELEASE_FLAGS offsetof(struct fuse_release_in,release_flags)
            RELEASE_LOCK_OWNER offsetof(struct fuse_release_in,lock_owner)
            RELEASE_FLOCK_UNLOCK FUSE_RELEASE_FLOCK_UNLOCK
            FLUSH_FH offsetof(struct fuse_flush_in,fh)
            FLUSH_LOCK_OWNER offsetof(struct fuse_flush_in,lock_owner)
            FSYNC_FH offsetof(struct fuse_fsync_in,fh)
            FSYNC_FLAGS offsetof(struct fuse_fsync_in,fsync_flags)
            FSYNC_DATASYNC FUSE_FSYNC_FDATASYNC
            SETXATTR_SIZE offsetof(struct fuse_setxattr_in,size)
            SETXATTR_FLAGS offsetof(struct fuse_setxattr_in,flags)
            SETXATTR_SETXATTR_FLAGS offsetof(struct fuse_setxattr_in,setxattr_flags)
            SETXATTR_BYTES sizeof(struct fuse_setxattr_in)
            SETXATTR_BYTES_SHORT FUSE_COMPAT_SETXATTR_IN_SIZE
            SETXATTR_ACL_KILL_SGID FUSE_SETXATTR_ACL_KILL_SGID
            GETXATTR_SIZE offsetof(struct fuse_getxattr_in,size)
            GETXATTR_BYTES sizeof(struct fuse_getxattr_in)
            GETXATTR_OUT_BYTES sizeof(struct fuse_getxattr_out)
            LK_FH offsetof(struct fuse_lk_in,fh)
            LK_OWNER offsetof(struct fuse_lk_in,owner)
            LK_START offsetof(struct fuse_lk_in,lk.start)
            LK_END offsetof(struct fuse_lk_in,lk.end)
            LK_TYPE offsetof(struct fuse_lk_in,lk.type)
            LK_PID offsetof(struct fuse_lk_in,lk.pid)
            LK_FLAGS offsetof(struct fuse_lk_in,lk_flags)
            LK_FLOCK FUSE_LK_FLOCK
            LK_OUT_BYTES sizeof(struct fuse_lk_out)
            FORGET_ONE_BYTES sizeof(struct fuse_forget_one)
            BATCH_FORGET_BYTES sizeof(struct fuse_batch_forget_in)
            IOCTL_FH offsetof(struct fuse_ioctl_in,fh)
            IOCTL_CMD offsetof(struct fuse_ioctl_in,cmd)
            IOCTL_IN_SIZE offsetof(struct fuse_ioctl_in,in_size)
            IOCTL_OUT_SIZE offsetof(struct fuse_ioctl_in,out_size)
            IOCTL_BYTES sizeof(struct fuse_ioctl_in)
            IOCTL_OUT_BYTES sizeof(struct fuse_ioctl_out)
            FALLOCATE_FH offsetof(struct fuse_fallocate_in,fh)
            FALLOCATE_OFFSET offsetof(struct fuse_fallocate_in,offset)
            FALLOCATE_LENGTH offsetof(struct fuse_fallocate_in,length)
            FALLOCATE_MODE offsetof(struct fuse_fallocate_in,mode)
            LSEEK_FH offsetof(struct fuse_lseek_in,fh)
            LSEEK_OFFSET offsetof(struct fuse_lseek_in,offset)
            LSEEK_WHENCE offsetof(struct fuse_lseek_in,whence)
            COPY_FH_IN offsetof(struct fuse_copy_file_range_in,fh_in)
            COPY_OFF_IN offsetof(struct fuse_copy_file_range_in,off_in)
            COPY_NODEID_OUT offsetof(struct fuse_copy_file_range_in,nodeid_out)
            COPY_FH_OUT offsetof(struct fuse_copy_file_range_in,fh_out)
            COPY_OFF_OUT offsetof(struct fuse_copy_file_range_in,off_out)
            COPY_LEN offsetof(struct fuse_copy_file_range_in,len)
            COPY_FLAGS offsetof(struct fuse_copy_file_range_in,flags)
            STATFS_BLOCKS offsetof(struct fuse_statfs_out,st.blocks)
            STATFS_BFREE offsetof(struct fuse_statfs_out,st.bfree)
            STATFS_BAVAIL offsetof(struct fuse_statfs_out,st.bavail)
            STATFS_FILES offsetof(struct fuse_statfs_out,st.files)
            STATFS_FFREE offsetof(struct fuse_statfs_out,st.ffree)
            STATFS_BSIZE offsetof(struct fuse_statfs_out,st.bsize)
            STATFS_NAMELEN offsetof(struct fuse_statfs_out,st.namelen)
            STATFS_FRSIZE offsetof(struct fuse_statfs_out,st.frsize)
            STATFS_BYTES sizeof(struct fuse_statfs_out)
            DIRENT_INO offsetof(struct fuse_dirent,ino)
            DIRENT_OFF offsetof(struct fuse_dirent,off)
            DIRENT_NAMELEN offsetof(struct fuse_dirent,namelen)
            DIRENT_TYPE offsetof(struct fuse_dirent,type)
            DIRENT_NAME offsetof(struct fuse_dirent,name)
            ENTRY_BYTES offsetof(struct fuse_direntplus,dirent)
            INIT_MAJOR offsetof(struct fuse_init_in,major)
            INIT_MINOR offsetof(struct fuse_init_in,minor)
            INIT_MAX_READAHEAD offsetof(struct fuse_init_in,max_readahead)
            INIT_FLAGS offsetof(struct fuse_init_in,flags)
            INIT_FLAGS2 offsetof(struct fuse_init_in,flags2)
            INIT_MAX_READAHEAD offsetof(struct fuse_init_out,max_readahead)
            INIT_FLAGS offsetof(struct fuse_init_out,flags)
            INIT_OUT_MAX_BACKGROUND offsetof(struct fuse_init_out,max_background)
            INIT_OUT_CONGESTION offsetof(struct fuse_init_out,congestion_threshold)
            INIT_OUT_MAX_WRITE offsetof(struct fuse_init_out,max_write)
            INIT_OUT_TIME_GRAN offsetof(struct fuse_init_out,time_gran)
            INIT_OUT_MAX_PAGES offsetof(struct fuse_init_out,max_pages)
            INIT_OUT_FLAGS2 offsetof(struct fuse_init_out,flags2)
            INIT_OUT_MAX_STACK_DEPTH offsetof(struct fuse_init_out,max_stack_depth) FUSE_PASSTHROUGH
            INIT_OUT_BYTES sizeof(struct fuse_init_out)
            INVAL_INODE_INO offsetof(struct fuse_notify_inval_inode_out,ino)
            INVAL_INODE_OFF offsetof(struct fuse_notify_inval_inode_out,off)
            INVAL_INODE_LEN offsetof(struct fuse_notify_inval_inode_out,len)
            INVAL_INODE_BYTES sizeof(struct fuse_notify_inval_inode_out)
            INVAL_ENTRY_PARENT offsetof(struct fuse_notify_inval_entry_out,parent)
            INVAL_ENTRY_NAMELEN offsetof(struct fuse_notify_inval_entry_out,namelen)
            INVAL_ENTRY_FLAGS offsetof(struct fuse_notify_inval_entry_out,flags)
            INVAL_ENTRY_BYTES sizeof(struct fuse_notify_inval_entry_out)
            EXPIRE_ONLY FUSE_EXPIRE_ONLY
            DELETE_PARENT offsetof(struct fuse_notify_delete_out,parent)
            DELETE_CHILD offsetof(struct fuse_notify_delete_out,child)
            DELETE_NAMELEN offsetof(struct fuse_notify_delete_out,namelen)
            DELETE_BYTES sizeof(struct fuse_notify_delete_out)
            NOTIFY_INVAL_INODE FUSE_NOTIFY_INVAL_INODE
            NOTIFY_INVAL_ENTRY FUSE_NOTIFY_INVAL_ENTRY
            NOTIFY_DELETE FUSE_NOTIFY_DELETE
            BACKING_FD offsetof(struct fuse_backing_map,fd) FUSE_PASSTHROUGH
            BACKING_MAP_BYTES sizeof(struct fuse_backing_map) FUSE_PASSTHROUGH
            IOC_BACKING_OPEN FUSE_DEV_IOC_BACKING_OPEN FUSE_PASSTHROUGH
            IOC_BACKING_CLOSE FUSE_DEV_IOC_BACKING_CLOSE FUSE_PASSTHROUGH
            PASSTHROUGH FUSE_PASSTHROUGH FUSE_PASSTHROUGH
            DIRECT_IO_ALLOW_MMAP FUSE_DIRECT_IO_ALLOW_MMAP FUSE_DIRECT_IO_ALLOW_MMAP
            HAS_RESEND FUSE_HAS_RESEND FUSE_HAS_RESEND
            UNIQUE_RESEND FUSE_UNIQUE_RESEND FUSE_UNIQUE_RESEND
            """;

    private static final String OPCODES =
            "LOOKUP FORGET GETATTR SETATTR READLINK SYMLINK MKNOD MKDIR UNLINK RMDIR RENAME LINK OPEN READ WRITE STATFS"
                    + " RELEASE FSYNC SETXATTR GETXATTR LISTXATTR REMOVEXATTR FLUSH INIT OPENDIR READDIR RELEASEDIR FSYNCDIR"
                    + " GETLK SETLK SETLKW ACCESS CREATE INTERRUPT BMAP DESTROY IOCTL POLL BATCH_FORGET FALLOCATE READDIRPLUS"
                    + " RENAME2 LSEEK COPY_FILE_RANGE SYNCFS TMPFILE ASYNC_READ POSIX_LOCKS ATOMIC_O_TRUNC EXPORT_SUPPORT BIG_WRITES DONT_MASK"
                    + " FLOCK_LOCKS HAS_IOCTL_DIR DO_READDIRPLUS READDIRPLUS_AUTO ASYNC_DIO WRITEBACK_CACHE PARALLEL_DIROPS"
                    + " POSIX_ACL ABORT_ERROR MAX_PAGES CACHE_SYMLINKS EXPLICIT_INVAL_DATA HANDLE_KILLPRIV_V2 SETXATTR_EXT"
                    + " INIT_EXT HAS_EXPIRE_ONLY";

    private static final Pattern LINE = Pattern.compile("(\\S+) (.+?)(?: (FUSE_[A-Z_]+))?");

    @TempDir Path dir;

    @Test
    void everyNumberIsThatOfTheHeader() throws Exception {
        Path header = Path.of("/usr/include/linux/fuse.h");
        assumeTrue(Files.exists(header), "no " + header + ": install linux-libc-dev");
        assumeTrue(runs("cc", "--version"), "no C compiler");
        Path source = dir.resolve("abi.c");
        Path program = dir.resolve("abi");
        Files.writeString(source, program());
        Process cc =
                new ProcessBuilder("cc", "-o", program.toString(), source.toString())
                        .inheritIO()
                        .start();
        assertThat(cc.waitFor()).isZero();
        Process abi = new ProcessBuilder(program.toString()).start();
        String output = new String(abi.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(abi.waitFor()).isZero();
        int compared = 0;
        for (String line : output.split("\n")) {
            String[] words = line.split(" ");
            assertThat(constant(words[0])).as(line).isEqualTo(Long.parseLong(words[1]));
            compared++;
        }
        System.out.println("compared " + compared + " numbers with " + header);
        assertThat(compared).isGreaterThan(200);
    }

    private static String program() {
        StringBuilder c =
                new StringBuilder(
                        "#include <stddef.h>\n#include <stdio.h>\n#include <linux/fuse.h>\nint main() {\n");
        for (String line : TABLE.lines().toList()) {
            Matcher m = LINE.matcher(line);
            assertThat(m.matches()).as(line).isTrue();
            String print =
                    "printf(\"" + m.group(1) + " %lld\\n\", (long long)(" + m.group(2) + "));\n";
            String guard = m.group(3);
            c.append(guard == null ? print : "#ifdef " + guard + "\n" + print + "#endif\n");
        }
        for (String name : OPCODES.split(" ")) {
            c.append("printf(\"" + name + " %lld\\n\", (long long)(FUSE_" + name + "));\n");
        }
        return c.append("return 0;\n}\n").toString();
    }

    private static long constant(String name) throws ReflectiveOperationException {
        Field field = Abi.class.getDeclaredField(name);
        Object value = field.get(null);
        return ((Number) value).longValue();
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
