/**
 * {@code /fs/...}: files and directories by the methods of HTTP itself, for {@code curl}, browsers
 * and whatever knows byte ranges and entity tags.
 */
@NullMarked
package org.gridfarm.client.cli.gateway.files;

import org.jspecify.annotations.NullMarked;
