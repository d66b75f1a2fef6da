/**
 * File contents, as programs use them: an open file is a {@link
 * org.gridfarm.client.core.transfer.FileHandle}. Knows no paths.
 *
 * <p>This room holds what others see and nothing that does it. Beneath it, each room knowing only
 * those before it: {@code node} (connections to storage nodes), {@code known} (what is known of a
 * file's size and objects), {@code grant} (states of the grant to write locally), {@code chain}
 * (what is sent down the chain of an object, and read from its replicas), {@code local} (replicas
 * as plain files, by grant of the node on this host), {@code idle} (files that are open on account
 * of former closes), {@code file} (open files), {@code client} (opening them; recalls and the
 * session).
 *
 * <p>LOCK ORDER: the open files of {@code client.TransferClient}; one {@code file.OpenInode}; then
 * the monitors of {@code local}, {@code chain} and {@code idle}, of which a grant alone takes
 * another. No call is made and no future completed under the lock of an inode or a chain.
 */
@NullMarked
package org.gridfarm.client.core.transfer;

import org.jspecify.annotations.NullMarked;
