/*
 * Preloaded into a farm's processes: fsync and fdatasync fail with EIO for files below the directory that the file
 * $GF_FSYNC_FAILS names, as long as that file is there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refused(int fd) {
    const char *order = getenv("GF_FSYNC_FAILS");
    if (order == NULL) return 0;
    int from = open(order, O_RDONLY | O_CLOEXEC);
    if (from < 0) return 0;
    char directory[PATH_MAX + 1];
    ssize_t length = read(from, directory, PATH_MAX);
    close(from);
    if (length <= 0) return 0;
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t found = readlink(link, path, PATH_MAX);
    return found >= length && memcmp(path, directory, (size_t) length) == 0;
}

int fsync(int fd) {
    if (refused(fd)) {
        errno = EIO;
        return -1;
    }
    return (int) syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    if (refused(fd)) {
        errno = EIO;
        return -1;
    }
    return (int) syscall(SYS_fdatasync, fd);
}
