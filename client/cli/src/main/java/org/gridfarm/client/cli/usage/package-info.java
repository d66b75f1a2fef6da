/** What users, groups, trees and jobs have used of the farm, as tables. Pure. */
@NullMarked
package org.gridfarm.client.cli.usage;

import org.jspecify.annotations.NullMarked;
