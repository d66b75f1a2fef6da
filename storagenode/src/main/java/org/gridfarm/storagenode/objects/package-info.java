/**
 * What clients and other nodes ask of this node's objects. A write goes to the head of a chain;
 * every member applies it and at the same time sends it on to the rest, and answers when both are
 * done.
 *
 * <p>{@link org.gridfarm.storagenode.objects.ObjectService} answers the calls; {@link
 * org.gridfarm.storagenode.objects.ForwardQueue} keeps what one object sends down its chain in
 * order, over members that fail; {@link org.gridfarm.storagenode.objects.PeerNodes} are the
 * connections to other nodes. Who may do what is decided by {@link
 * org.gridfarm.storagenode.objects.Doorkeeper}, and how bytes lie on disk by the store.
 */
@NullMarked
package org.gridfarm.storagenode.objects;

import org.jspecify.annotations.NullMarked;
