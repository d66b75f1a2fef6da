package org.gridfarm.client.cli.make;

import java.util.List;

/**
 * How files come from others.
 *
 * @param line of the file where it begins
 * @param each patterns of files of which each gives a step; none: the rule is one step
 * @param in patterns of files that every step reads as well
 * @param out what a step leaves, with replacement strings; a directory if it ends with a slash
 */
public record Rule(int line, List<String> each, List<String> in, String out, String run) {}
