package org.gridfarm.client.mount.takeover;

/** Where open files are written down for the process that may have to go on with them. */
public interface OpenBook {
    /** Of a mount that ends with its process. */
    OpenBook NONE =
            new OpenBook() {
                @Override
                public void opened(OpenRecord record) {}

                @Override
                public void leaving(long number) {}

                @Override
                public void closed(long number) {}
            };

    /** To be called before the kernel is told of the file. */
    void opened(OpenRecord record);

    /** The kernel has given the file up; what was written may still have to be committed. */
    void leaving(long number);

    /** Nothing of the file is left to be done. */
    void closed(long number);
}
