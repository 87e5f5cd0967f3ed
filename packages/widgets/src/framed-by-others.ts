/** Whether a page of another origin shows this one inside itself, and so could draw over it, or under it. */

export function isFramedByOthers(): boolean {
  try {
    for (let frame: Window = window; frame !== frame.parent; frame = frame.parent) {
      if (frame.parent.location.origin !== location.origin) return true
    }
    return false
  } catch {
    // The browser does not even tell where it is.
    return true
  }
}
