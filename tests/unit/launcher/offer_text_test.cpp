// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "offer_text.hpp"

#include <array>

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

constexpr berth_option_spec kPreset = {
    "preset", BERTH_OPTION_CHOICE, "a", 0, 0, "", "a,b", "Where unset options come from."};
constexpr berth_option_spec kRate = {
    "rate", BERTH_OPTION_REAL, "-1", -1, 1, "", "", "A rate. [a 0.5, b 0.25]"};
constexpr berth_option_spec kWay = {
    "way", BERTH_OPTION_CHOICE, "preset", 0, 0, "", "preset,x", "A way. [a x]"};
constexpr berth_option_spec kShift = {
    "shift", BERTH_OPTION_REAL, "-1", -5, 5, "", "", "A number that may well be -1."};

constexpr berth_option_spec kWithPreset[] = {kPreset, kRate, kWay, kShift};
constexpr berth_option_spec kWithout[] = {kRate};

template <std::size_t N>
berth_offer offer_of(const char* interface,
                     const char* name,
                     const berth_option_spec (&options)[N]) {
  berth_offer offer{};
  offer.interface_id = interface;
  offer.name = name;
  offer.summary = "Something.";
  offer.options = options;
  offer.option_count = N;
  return offer;
}

TEST(OfferText, NamesWhatAPresetDecides) {
  const berth_offer offer = offer_of("i/1", "learner", kWithPreset);

  EXPECT_EQ(default_text(offer, kPreset), "a");
  EXPECT_EQ(default_text(offer, kRate), "by preset");
  EXPECT_EQ(default_text(offer, kWay), "by preset");
  EXPECT_EQ(default_text(offer, kShift), "-1") << "-1 is a value like others there";
  EXPECT_EQ(default_text(offer_of("i/1", "plain", kWithout), kRate), "-1") << "there is no preset";
}

TEST(OfferText, ListsOffersOfOneNameAndTheSameOptionsOnce) {
  const std::array offers = {offer_of("train/1", "learner", kWithPreset),
                             offer_of("place/1", "heft", kWithout),
                             offer_of("place/1", "learner", kWithPreset),
                             offer_of("plan/1", "learner", kWithout)};
  std::vector<const berth_offer*> list;
  for (const berth_offer& offer : offers) {
    list.push_back(&offer);
  }

  const std::vector<SharedOffers> groups = shared_offers(list);

  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(heading(groups[0], ""), "learner (train/1, place/1)");
  EXPECT_EQ(heading(groups[1], ""), "heft (place/1)");
  EXPECT_EQ(heading(groups[2], "`"), "learner (`plan/1`)");
}

}  // namespace
}  // namespace berth::launcher
