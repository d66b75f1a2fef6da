package org.gridfarm.storagenode.replica;

/**
 * Hears what the store finds out about its replicas. Called on the store's threads; must be quick.
 */
public interface StoreListener {
    /** Its bytes or sums are wrong; it has been moved to quarantine. */
    void corrupt(ObjectKey key, String why);

    /** A disk was given up, and all that lay on it. */
    void diskFailed(String disk);

    StoreListener NONE =
            new StoreListener() {
                @Override
                public void corrupt(ObjectKey key, String why) {}

                @Override
                public void diskFailed(String disk) {}
            };
}
