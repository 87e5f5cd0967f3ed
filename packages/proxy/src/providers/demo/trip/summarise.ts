/** The warm end of a trip: what was settled, said truthfully, and two days to look forward to. */
import type { Trip } from './trip.ts'

export function summarise(trip: Trip): string {
  return `${settled(trip)}

${trip.city === 'Lisbon' ? lisbonDays(trip) : anyDays(trip)}

${trip.hasSkippedQuestions ? 'You skipped my questions, so I assumed a comfortable place and a good area for walking. ' : ''}A word of honesty: I am a demo, so check the details before you pack.`
}

function settled({ hotel, city, booking }: Trip): string {
  if (hotel === undefined)
    return `The search found no place to stay in ${city}, so nothing is booked. Here are the days all the same.`
  if (booking === undefined)
    return `If I were you I would stay at **${hotel}**. Nothing is booked; this page has no way to do it.`
  if (booking.type === 'rejected') {
    const said = booking.comment === '' ? '' : ` You said: “${booking.comment}”`
    return `You declined the booking at **${hotel}**, so nothing is reserved.${said} The rest of the plan stands.`
  }
  if (booking.type === 'failed')
    return `The booking at **${hotel}** did not go through: ${booking.reason} Nothing is reserved.`
  return `It is settled: your stay at **${hotel}** is arranged. The booking came back with: ${booking.text}`
}

function lisbonDays({ area }: Trip): string {
  return `### Saturday

- **Morning** in ${area}: coffee standing up, a *pastel de nata*, no hurry.
- **Midday** along the river to the Time Out Market, early enough to find a seat.
- **Evening** up to Miradouro da Graça for the light, then fado in a small room.

### Sunday

- **Morning** on tram 28 before nine, while it still belongs to the city.
- **Midday** in Belém: the monastery first, then a bench by the water.
- **Evening** grilled fish in Cacilhas, one short ferry away.`
}

function anyDays({ city, area }: Trip): string {
  return `### The first day

- **Morning** on foot through ${area.toLowerCase()}, with one good breakfast and no map.
- **Midday** at the market; eat what the stall with the queue is selling.
- **Evening** somewhere high, for the light over ${city}.

### The second day

- **Morning** in the one museum you would regret missing.
- **Midday** in a park, with a book.
- **Evening** dinner where the menu is short.`
}
