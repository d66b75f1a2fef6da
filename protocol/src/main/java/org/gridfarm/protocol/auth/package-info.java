/**
 * Who is who: certificate names become identities of the farm by the grid-mapfile.
 *
 * <p>Below it, {@code x509} makes and judges certificates, {@code tls} puts them into connections,
 * and {@code ticket} holds the tokens by which a storage node knows what a client may do without
 * asking anybody. This package itself knows only names.
 */
@NullMarked
package org.gridfarm.protocol.auth;

import org.jspecify.annotations.NullMarked;
