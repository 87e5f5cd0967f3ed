/** What is known of the trip so far, read off the person's words and the results of the tools. */
import { cityIn } from '../city-in.ts'
import { readAnswers } from '../read-answers.ts'
import { readOutcome, type ToolOutcome } from '../tool-outcome.ts'
import { isRecord, lastUse, parseJson, type Transcript } from '../transcript.ts'

export interface Trip {
  readonly city: string
  readonly areas: readonly Area[]
  /** "a weekend", "three nights": as the person said it. */
  readonly length: string
  readonly nights: number
  readonly checkIn: string
  readonly budget: string
  readonly area: string
  readonly hasSkippedQuestions: boolean
  readonly hasSearched: boolean
  /** Missing when a search found nothing. */
  readonly hotel: string | undefined
  readonly hotelId: string | undefined
  readonly booking: ToolOutcome | undefined
}

interface Area {
  readonly name: string
  readonly description: string
}

export function tripFrom(transcript: Transcript): Trip {
  const city = cityIn(transcript.said) ?? 'Lisbon'
  const areas = city === 'Lisbon' ? lisbon : anywhere
  const [length, nights] = lengthOf(transcript.said)
  const asked = lastUse(transcript, 'ask_user_question')
  const answers = asked && readAnswers(asked.result)
  const area = answers?.Area || areas[0]!.name
  const searched = lastUse(transcript, 'search_hotels')
  const booked = lastUse(transcript, 'book_hotel')
  return {
    city,
    areas,
    length,
    nights,
    checkIn: nextFriday(new Date()),
    budget: answers?.Budget || 'Comfortable',
    area,
    hasSkippedQuestions: asked !== undefined && answers === undefined,
    hasSearched: searched !== undefined,
    ...(searched === undefined ? { hotel: `Casa ${city}`, hotelId: undefined } : choose(searched.result, area)),
    booking: booked && readOutcome(booked.result),
  }
}

const lisbon: readonly Area[] = [
  { name: 'Alfama', description: 'Old lanes, tiled walls, fado after dark' },
  { name: 'Chiado', description: 'Cafés and bookshops, everything on foot' },
  { name: 'Belém', description: 'Wide river views, quiet evenings' },
]

const anywhere: readonly Area[] = [
  { name: 'The old town', description: 'Narrow streets, short walks' },
  { name: 'The centre', description: 'Close to everything' },
  { name: 'Near the water', description: 'Slower mornings' },
]

/** Two, unless the person says otherwise. */
export function nightsIn(said: string): number {
  return lengthOf(said)[1]
}

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']

function lengthOf(said: string): [string, number] {
  const [phrase, count] = /\b(\d+|one|two|three|four|five|six|seven) (?:nights?|days?)\b/i.exec(said) ?? []
  if (phrase === undefined || count === undefined) return ['a weekend', 2]
  return [phrase.toLowerCase(), Number(count) || numbers.indexOf(count.toLowerCase()) + 1]
}

/** The first hotel that mentions the area, else the first one found. */
function choose(result: string, area: string): { hotel: string | undefined; hotelId: string | undefined } {
  const hotels = hotelsIn(parseJson(result))
  const hotel = hotels.find((candidate) => JSON.stringify(candidate).includes(area)) ?? hotels[0]
  const name = typeof hotel === 'string' ? hotel : (hotel?.name ?? hotel?.hotel ?? hotel?.title)
  const id = typeof hotel === 'string' ? undefined : hotel?.id
  return { hotel: text(name), hotelId: text(id) }
}

function hotelsIn(value: unknown): readonly (string | Record<string, unknown>)[] {
  const list = isRecord(value) ? Object.values(value).find(Array.isArray) : value
  if (!Array.isArray(list)) return []
  return list.filter((item): item is string | Record<string, unknown> => typeof item === 'string' || isRecord(item))
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function nextFriday(today: Date): string {
  const friday = new Date(today)
  friday.setUTCDate(today.getUTCDate() + ((5 - today.getUTCDay() + 7) % 7 || 7))
  return friday.toISOString().slice(0, 10)
}
