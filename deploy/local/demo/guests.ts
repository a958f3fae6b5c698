// Guests of the demo with realistic names: long, right to left, without a family name, with an emoji.
import type { BookingGuest } from '@connectivity/contracts/booking-events'
import type { Draw } from './random.ts'

/** First and last names. */
const people: [string, string | null][] = [
  ['Ana', 'Ferreira'],
  ['João', 'da Conceição e Silva'],
  ['Liam', "O'Connor"],
  ['Chloé', 'Lefèvre'],
  ['Jürgen', 'Großmann'],
  ['Zoë', 'van der Berg'],
  ['Łukasz', 'Żółkiewski'],
  ['Björk', 'Guðmundsdóttir'],
  ['Nguyễn', 'Thị Hương'],
  ['美咲', '佐藤'],
  ['伟', '王'],
  ['서연', '김'],
  ['Мария', 'Иванова'],
  ['Ελένη', 'Παπαδοπούλου'],
  ['محمد', 'عبد الرحمن'],
  ['נועה', 'כהן'],
  ['فاطمه', 'حسینی'],
  ['Priya', 'Raghunathan'],
  ['अनन्या', 'शर्मा'],
  ['Sunny ☀️', 'Okafor'],
  ['Kai 🏄', 'Nakamura'],
  ['Suharto', null],
  ['María del Carmen', 'Fernández-Villaverde y Ortiz de Zárate'],
  ['Emma', 'Smith'],
  ['Noah', 'Johnson'],
  ['Olivia', 'Brown'],
]

const requests = [
  'Late check-in around 23:30, please.',
  'A quiet room, if possible 🙏',
  'Allergic to feathers.',
  'نرجو غرفة في الطابق العلوي',
  'お部屋は禁煙でお願いします。',
  'Travelling with a baby: cot needed.',
  'Two beds next to each other.',
]

/** The `guest` of a booking. */
export function guestOf({ one, integer, chance }: Draw): BookingGuest {
  const [first_name, last_name] = one(people)
  return {
    first_name,
    last_name,
    full_name: [first_name, last_name].filter(Boolean).join(' '),
    email: chance(0.9) ? `guest-${integer(10_000, 99_999)}@example.com` : null,
    phone: chance(0.7) ? `+${integer(1, 98)} ${integer(100, 999)} ${integer(100_000, 999_999)}` : null,
  }
}

/** Special requests, or null as most guests have none. */
export const requestOf = ({ one, chance }: Draw): string | null => (chance(0.25) ? one(requests) : null)
