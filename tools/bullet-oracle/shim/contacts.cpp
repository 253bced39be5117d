#include "contacts.h"

FloorContact::FloorContact(int link, std::unique_ptr<btConvexShape> shape, const btTransform& in_link, bool alone,
						   const FloorSurface& surface)
	: m_points(nullptr, nullptr, 0, surface.breaking_threshold, BT_LARGE_FLOAT),
	  m_link(link),
	  m_shape(std::move(shape)),
	  m_in_link(in_link),
	  m_alone(alone),
	  m_friction(surface.friction)
{
	btVector3 centre;
	btScalar radius;
	m_shape->getBoundingSphere(centre, radius);
	m_reach = centre.length() + radius + surface.breaking_threshold + btScalar(0.01);
}

void FloorContact::update(const btTransform& link_pose)
{
	// A shape with other shapes or an offset is a compound to Bullet, which refreshes old points before it looks for new ones.
	if (!m_alone && m_points.getNumContacts()) m_points.refreshContactPoints(link_pose, btTransform::getIdentity());

	const btVector3 origin = m_alone ? link_pose.getOrigin() : link_pose * m_in_link.getOrigin();
	// Out of reach of the floor there is no point to add. (Written so that a pose that is not a number is in reach.)
	if (!(origin.z() > m_reach)) add_lowest_point(link_pose, m_alone ? link_pose : link_pose * m_in_link);

	if (m_points.getNumContacts()) m_points.refreshContactPoints(link_pose, btTransform::getIdentity());
}

void FloorContact::add_lowest_point(const btTransform& link_pose, const btTransform& shape_pose)
{
	const btVector3 normal(0, 0, 1);
	const btVector3 down_in_shape = -shape_pose.getBasis()[2];  // the third row is the inverse's third column
	const btVector3 lowest = shape_pose(m_shape->localGetSupportingVertex(down_in_shape));
	const btScalar distance = lowest.z();
	if (!(distance < m_points.getContactBreakingThreshold())) return;

	const btVector3 on_floor(lowest.x(), lowest.y(), lowest.z() - distance);
	const btVector3 on_shape = on_floor + normal * distance;
	btManifoldPoint point(link_pose.invXform(on_shape), on_floor, normal, distance);
	point.m_positionWorldOnA = on_shape;
	point.m_positionWorldOnB = on_floor;
	point.m_combinedFriction = m_friction;

	const int nearest = m_points.getCacheEntry(point);
	if (nearest >= 0)
		m_points.replaceContactPoint(point, nearest);
	else
		m_points.addManifoldPoint(point);
}

namespace {
struct ByLink {
	bool operator()(const FloorContact* a, const FloorContact* b) const { return a->link() < b->link(); }
};
}  // namespace

void touching(const FloorContacts& all, btAlignedObjectArray<FloorContact*>& found)
{
	found.resize(0);
	for (const auto& contact : all)
		if (contact->points().getNumContacts()) found.push_back(contact.get());
	// Not stable, so the order of two shapes of one link depends on how many shapes touch: it must be Bullet's own sort.
	found.quickSort(ByLink());
}
