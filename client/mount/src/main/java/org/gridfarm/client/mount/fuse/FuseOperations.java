package org.gridfarm.client.mount.fuse;

import java.nio.ByteBuffer;

/// A file system as the kernel asks for it: one method for each opcode.
///
/// **Answering.** Every method but [#forget] gets a reply object and must see to it that exactly
/// one of its answers is given, inline or later, from any thread. A method runs on one of a few
/// worker threads: it may compute, take short locks and answer; whatever waits (a call to a server,
/// a lock held by somebody else) keeps the reply object and returns. An answer is `false` when
/// nobody received it (deadline passed, caller killed, mount gone): an operation that handed out a
/// handle or a lookup takes it back then.
///
/// **Borrowed arguments.** [SetAttributes] belongs to the request and is valid until that is
/// answered, the `data` of [#write] until the method returns: what waits is not to keep the
/// engine's buffers. [RawName] and `byte[]` are the receiver's to keep.
///
/// **Node numbers** are chosen by the file system; the root is [#ROOT]. Numbers that are the inode
/// numbers of the farm stay true in a restarted process that takes the mount over. Every entry
/// handed out counts one lookup, until [#forget] takes it back.
///
/// An exception that escapes a method is answered with EIO and logged. Flags and modes are those of
/// Linux ([Flags]).
public interface FuseOperations {

    long ROOT = 1;

    /// Stands where the kernel sent no file handle.
    long NO_HANDLE = -1;

    /// Called once before the first request, also in a process that took the mount over.
    default void started(Connection connection) {}

    /// Called once after the last request; whatever is open is open no more.
    default void stopped() {}

    /// `.` and `..` are looked up where the kernel has a number and nothing else: of a handle that
    /// a program or an NFS client kept (name_to_handle_at(2)), maybe from before the mount was
    /// mounted. `.` may then be looked up in what is no directory. ENOENT and ESTALE say that it is
    /// gone.
    void lookup(EntryReply reply, long parent, RawName name);

    /// Takes back `lookups` of a node; nothing is answered. An unknown node is not an error.
    void forget(long node, long lookups);

    void getattr(AttributesReply reply, long node, long handle);

    void setattr(AttributesReply reply, long node, SetAttributes change);

    void readlink(BytesReply reply, long node);

    void symlink(EntryReply reply, long parent, RawName name, byte[] target);

    /// `umask` has not been applied: it counts only where the parent has no default ACL.
    void mknod(EntryReply reply, long parent, RawName name, int mode, int device, int umask);

    /// `umask` as in [#mknod].
    void mkdir(EntryReply reply, long parent, RawName name, int mode, int umask);

    void unlink(EmptyReply reply, long parent, RawName name);

    void rmdir(EmptyReply reply, long parent, RawName name);

    /// @param flags 0, [Flags#RENAME_NOREPLACE], [Flags#RENAME_EXCHANGE] or [Flags#RENAME_WHITEOUT]
    void rename(
            EmptyReply reply,
            long parent,
            RawName name,
            long newParent,
            RawName newName,
            int flags);

    void link(EntryReply reply, long node, long newParent, RawName newName);

    /// @param flags as of open(2), O_TRUNC included; without O_CREAT, O_EXCL, O_NOCTTY
    /// @param killSuidGid set-user and set-group bits must go (with O_TRUNC, by a caller without
    ///   CAP_FSETID)
    void open(OpenReply reply, long node, int flags, boolean killSuidGid);

    /// Fewer than `size` bytes mean the end of the file.
    ///
    /// @param flags as of open(2) and fcntl(2), now
    /// @param kept the kernel keeps the answer as pages, and serves mappings, sendfile(2) and
    ///   splice(2) from these without asking again, in direct opens too
    void read(
            ReadReply reply,
            long node,
            long handle,
            long offset,
            int size,
            int flags,
            boolean kept);

    /// `data` is a direct buffer holding exactly what is to be written.
    ///
    /// @param openFlags as of open(2); with O_APPEND the kernel's `offset` is its own idea of the
    ///   end: the file system decides
    /// @param writeFlags bits of [Flags#WRITE_CACHE], [Flags#WRITE_KILL_SUIDGID]
    void write(
            CountReply reply,
            long node,
            long handle,
            long offset,
            ByteBuffer data,
            int openFlags,
            int writeFlags);

    void statfs(StatfsReply reply, long node);

    /// The last descriptor and the last mapping of one open are gone. Nobody waits for the answer.
    ///
    /// @param flockUnlock flock(2) locks of `lockOwner` must go
    void release(
            EmptyReply reply,
            long node,
            long handle,
            int flags,
            boolean flockUnlock,
            long lockOwner);

    void fsync(EmptyReply reply, long node, long handle, boolean dataOnly);

    /// @param flags 0, [Flags#XATTR_CREATE] or [Flags#XATTR_REPLACE]
    /// @param killSgid with `system.posix_acl_access`: the set-group bit must go
    void setxattr(
            EmptyReply reply, long node, RawName name, byte[] value, int flags, boolean killSgid);

    /// @param size room of the caller; 0 asks for the length only
    void getxattr(XattrReply reply, long node, RawName name, int size);

    /// The names, each followed by a zero byte.
    ///
    /// @param size room of the caller; 0 asks for the length only
    void listxattr(XattrReply reply, long node, int size);

    void removexattr(EmptyReply reply, long node, RawName name);

    /// One descriptor of an open file was closed; close(2) returns this answer. POSIX locks of
    /// `lockOwner` on the file must go.
    void flush(EmptyReply reply, long node, long handle, long lockOwner);

    void opendir(OpenReply reply, long node, int flags);

    /// Entries behind position `offset` (0: from the start), with attributes where
    /// [DirectoryReply#plus] is true.
    void readdir(DirectoryReply reply, long node, long handle, long offset);

    void releasedir(EmptyReply reply, long node, long handle, int flags);

    void fsyncdir(EmptyReply reply, long node, long handle, boolean dataOnly);

    void getlk(LockReply reply, long node, long handle, long owner, LockRange lock);

    /// @param flock a flock(2) lock of the whole file; else a POSIX record lock
    /// @param wait park the reply until the lock is had, and answer EINTR when interrupted; there
    ///   is no deadline
    void setlk(
            EmptyReply reply,
            long node,
            long handle,
            long owner,
            LockRange lock,
            boolean flock,
            boolean wait);

    /// Not sent under `default_permissions`.
    void access(EmptyReply reply, long node, int mask);

    /// Creates if absent (with O_EXCL only if absent) and opens; `umask` as in [#mknod].
    void create(CreateReply reply, long parent, RawName name, int flags, int mode, int umask);

    /// Creates a file without a name in `parent`'s file system and opens it; `umask` as in
    /// [#mknod].
    void tmpfile(CreateReply reply, long parent, int flags, int mode, int umask);

    void fallocate(EmptyReply reply, long node, long handle, long offset, long length, int mode);

    /// Sent for [Flags#SEEK_DATA] and [Flags#SEEK_HOLE] only.
    void lseek(OffsetReply reply, long node, long handle, long offset, int whence);

    void copyFileRange(
            CountReply reply,
            long nodeIn,
            long handleIn,
            long offsetIn,
            long nodeOut,
            long handleOut,
            long offsetOut,
            long length,
            long flags);

    /// Everything written through this mount becomes durable.
    void syncfs(EmptyReply reply, long node);

    /// Of flags and of what else lsattr(1) and chattr(1) ask for, the kernel opens the file by
    /// itself first. The default is what a file system without any says.
    ///
    /// @param input what the caller hands over
    /// @param room bytes that the caller has room for; [InodeFlags] takes neither more nor fewer
    default void ioctl(
            BytesReply reply, long node, long handle, int command, byte[] input, int room) {
        InodeFlags.none(reply, command, input, room);
    }
}
