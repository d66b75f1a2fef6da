package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;

/**
 * How a file's copies stand, by its worst object.
 *
 * @param live copies that can be read now
 * @param reach where the best copy of the object is that is worst off
 * @param staying copies that count for the level
 * @param misplaced some group of nodes has fewer copies than wanted there
 * @param most copies that count, of the object that has most
 */
public record Standing(
        Content content,
        int live,
        Whereabouts reach,
        int staying,
        int most,
        boolean corrupt,
        boolean leftover,
        boolean misplaced) {
    public boolean has(Problem problem) {
        return switch (problem) {
            case UNDER -> staying < content.wanted();
            case OVER -> most > content.wanted();
            case AWAY -> reach == Whereabouts.AWAY;
            case LOST -> reach == Whereabouts.NOWHERE;
            case CORRUPT -> corrupt;
            case MISPLACED -> misplaced && staying == content.wanted();
            case LEFTOVER -> (leftover || corrupt) && staying >= content.wanted();
        };
    }
}
