/** Where an agent's handles lie: agents that are open at once share no place, also when they, or helpers of theirs, have one name. */
import type { AgentDefinition } from '@dogear/core'

/** A place is taken over when its agent is no longer open, so that a page holds no more than it uses at once. */
export function createPlaces(isOpen: (agent: AgentDefinition) => boolean): (agent: AgentDefinition) => string {
  const places: AgentDefinition[] = []
  return (agent) => {
    let place = places.indexOf(agent)
    if (place < 0) place = places.findIndex((other) => !isOpen(other))
    if (place < 0) place = places.length
    places[place] = agent
    return place ? `${place}#` : ''
  }
}
