/**
 * What is wrong with this machine's way to the farm, and what helps: {@link
 * org.gridfarm.client.cli.doctor.Examination} looks at Java, FUSE, the configuration, certificates,
 * the clock and every server; {@link org.gridfarm.client.cli.doctor.Cure} knows what to do about
 * each kind of failure. Changes nothing.
 */
@NullMarked
package org.gridfarm.client.cli.doctor;

import org.jspecify.annotations.NullMarked;
