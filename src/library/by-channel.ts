import type { Channel } from '../../rays/index.js'

/**
 * Channels that options are known to ask for: all where they name none, and those of a list that is written out. Of a list that may have any,
 * none is known.
 */
export type ChannelsOf<O> = 'channels' extends keyof O
  ? O extends { channels: readonly (infer C extends Channel)[] }
    ? [Channel] extends [C]
      ? never
      : C
    : never
  : Channel

/** Values by channel, those that are known to be there and perhaps others, and by further names such as `vv_b1`. */
export type ByChannel<C extends Channel, T> = Record<C, T> & Record<string, T>
