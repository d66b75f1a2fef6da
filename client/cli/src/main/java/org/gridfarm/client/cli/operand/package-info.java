/**
 * What people write for files of the farm: paths, URLs, paths below a mount, patterns; modes,
 * owners, sizes and ACLs as the tools of Unix take them. Reads the farm only to expand patterns.
 */
@NullMarked
package org.gridfarm.client.cli.operand;

import org.jspecify.annotations.NullMarked;
