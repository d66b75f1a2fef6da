/**
 * Names, inodes, rights: the whole POSIX namespace in memory, as a state machine. {@link
 * org.gridfarm.namespace.Namespace#decide} says what a command changes or why it is refused,
 * without changing anything; {@link org.gridfarm.namespace.Namespace#apply} is the only way in, and
 * the same for a leader, a cache, start-up and tests.
 *
 * <p>Owned by one event thread. Does no IO, starts no thread, holds no lock and reads no clock:
 * time and inode numbers come with each command. What is open, where content lies and what is
 * locked is known elsewhere.
 */
@NullMarked
package org.gridfarm.namespace;

import org.jspecify.annotations.NullMarked;
