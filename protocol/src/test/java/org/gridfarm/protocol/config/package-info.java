/** What configuration files may say, and how they are refused. */
@NullMarked
package org.gridfarm.protocol.config;

import org.jspecify.annotations.NullMarked;
