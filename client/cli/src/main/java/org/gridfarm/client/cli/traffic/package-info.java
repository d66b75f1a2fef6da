/** Who asks how much of which server: two looks and what lies between them. */
@NullMarked
package org.gridfarm.client.cli.traffic;

import org.jspecify.annotations.NullMarked;
