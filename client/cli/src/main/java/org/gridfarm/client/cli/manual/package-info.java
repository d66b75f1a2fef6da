/** Manual pages and shell completion, made of what the commands say of themselves. For packages. */
@NullMarked
package org.gridfarm.client.cli.manual;

import org.jspecify.annotations.NullMarked;
