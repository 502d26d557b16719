/** The settings of a session that texts of values depend on. */

export interface TextSetting {
  /** A name that `timeZoneName` returned. */
  readonly timeZone: string;
  /** `hex` if absent. */
  readonly byteaOutput?: 'hex' | 'escape' | undefined;
}
